import type { AcceptanceAnswer, Policy, ReviewCause } from '../src/domain/commands';
import type { PaymentState } from '../src/domain/payment';

export interface Appointment {
  at: number;
  cause: ReviewCause;
  summary: string;
}

/** When to look at a payment by ourselves, should nothing be reported. */
export interface Agenda {
  /** The next appointment; undefined when the watch is over. */
  next(): Appointment | undefined;
  keep(): void;
  /** Another look soon: what was reported awaits the provider's own word. */
  confirmAgain(now: number): void;
  /** The payment is in a state since `since`: what is still to be looked at from now on. */
  entered(state: PaymentState, since: number, now: number): void;
}

/** States in which nothing more is expected, save what the policy says. */
const settledStates: readonly PaymentState[] = ['succeeded', 'failed', 'cancelled', 'refunded', 'reversed'];

/** A provider that never answers is left to the sweeper after so many questions in a row. */
const confirmationsMax = 500;

export function agendaOf(
  policy: Policy,
  answer: AcceptanceAnswer['kind'],
  { acceptedAt, now }: { acceptedAt: number; now: number },
): Agenda {
  const at = (from: number, ms: number, cause: ReviewCause, summary: string): Appointment => ({
    at: from + ms,
    cause,
    summary,
  });
  // Without the provider's reference there is nothing to ask about, where the provider does not know ours.
  const blindMs = answer === 'unknown' ? policy.unknownDeadlineMs : undefined;
  const deadlineMs = blindMs ?? policy.checksMs.at(-1) ?? 0;
  const checks = blindMs === undefined ? policy.checksMs.slice(0, -1) : [];
  let appointments = withoutMissed(now, [
    ...checks.map((ms) => at(acceptedAt, ms, 'check', 'until the next status check')),
    at(acceptedAt, deadlineMs, 'deadline', 'until the prompt is given up'),
    ...policy.rechecksMs.map((ms) => at(acceptedAt, ms, 'check', 'until a late look')),
    at(acceptedAt, policy.watchMs, 'watch_end', 'until the watch ends'),
  ]);
  let confirmations = 0;
  return {
    next: () => appointments[0],
    keep: () => {
      appointments.shift();
    },
    confirmAgain(now) {
      if (confirmations >= confirmationsMax) return;
      const delays = policy.confirmDelaysMs;
      const delay = delays[Math.min(confirmations, delays.length - 1)] ?? 60_000;
      confirmations += 1;
      if (appointments[0]?.cause === 'confirmation') appointments.shift();
      const soon = now + delay;
      const following = appointments.findIndex((appointment) => appointment.at > soon);
      const place = following === -1 ? appointments.length : following;
      appointments.splice(place, 0, at(now, delay, 'confirmation', 'until the provider has confirmed it'));
    },
    entered(state, since, now) {
      if (!settledStates.includes(state) || (state === 'failed' && policy.failureIsSoft === true)) return;
      const later = state === 'succeeded' ? (policy.afterSuccessChecksMs ?? []) : [];
      appointments = later
        .map((ms) => at(since, ms, 'check', 'until a look whether it was taken back'))
        .filter((appointment) => appointment.at > now);
    },
  };
}

/** A payment that is taken up again asks once for all the questions that it has missed. */
function withoutMissed(now: number, appointments: Appointment[]): Appointment[] {
  const isMissed = ({ at, cause }: Appointment) => cause === 'check' && at <= now;
  const [first] = appointments.filter(isMissed);
  const left = appointments.filter((appointment) => !isMissed(appointment));
  return first ? [{ ...first, at: now }, ...left] : left;
}
