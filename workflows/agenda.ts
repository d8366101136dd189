import type { AcceptanceAnswer, Policy, ReviewCause } from '../src/domain/commands';
import type { PaymentState } from '../src/domain/payment';

/** A look at the payment. */
export interface Look {
  at: number;
  cause: ReviewCause;
  summary: string;
}

/** What is done about a payment that is still queued: its recipient is reminded for the n-th time, or it is given up. */
export interface QueueDuty {
  at: number;
  cause: 'remind' | 'give_up';
  n: number;
  summary: string;
}

export type Appointment = Look | QueueDuty;

/** When to look at a payment by ourselves, should nothing be reported. */
export interface Agenda {
  /** The next appointment; undefined when the watch is over. */
  next(now: number): Appointment | undefined;
  keep(): void;
  /** Another look soon: what was reported awaits the provider's own word. */
  confirmAgain(now: number): void;
  /** Whether a confirmation is still to come, or was awaited in vain for so long that only this agenda knows. */
  isConfirming(): boolean;
  /**
   * A queued payment was given up: the provider's word is awaited as long as if that had been done in time. In vain:
   * the provider may not have heard of it, so that it is given up again later.
   */
  gaveUp(now: number, how: { inVain: boolean }): void;
  /** The payment is in a state since `since`: what is still to be looked at from now on. */
  entered(state: PaymentState, since: number, now: number): void;
}

/** States in which nothing more is expected, save what the policy says. */
const settledStates: readonly PaymentState[] = [
  'succeeded',
  'failed',
  'cancelled',
  'refunded',
  'reversed',
  'returned',
];

/** A provider that never answers is left to the sweeper after so many questions in a row. */
const confirmationsMax = 500;

/** A payment that could not be given up so many times in a row is an operator's question. */
const giveUpsMax = 5;

export interface Moments {
  acceptedAt: number;
  now: number;
  /** Whether what is overdue is done once each and in its order (see PaymentCommand). */
  inOrder: boolean;
}

export function agendaOf(
  policy: Policy,
  answer: AcceptanceAnswer['kind'],
  { acceptedAt, now, inOrder }: Moments,
): Agenda {
  const at = (from: number, ms: number, cause: ReviewCause, summary: string): Look => ({
    at: from + ms,
    cause,
    summary,
  });
  // Without the provider's reference there is nothing to ask about, where the provider does not know ours.
  const blindMs = answer === 'unknown' ? policy.unknownDeadlineMs : undefined;
  const deadlineMs = blindMs ?? policy.checksMs.at(-1) ?? 0;
  const checks = blindMs === undefined ? policy.checksMs.slice(0, -1) : [];
  let appointments: Appointment[] = withoutMissed(now, [
    ...checks.map((ms) => at(acceptedAt, ms, 'check', 'until the next status check')),
    at(acceptedAt, deadlineMs, 'deadline', 'until the prompt is given up'),
    ...policy.rechecksMs.map((ms) => at(acceptedAt, ms, 'check', 'until a late look')),
    at(acceptedAt, policy.watchMs, 'watch_end', 'until the watch ends'),
  ]);
  let giveUpAt = acceptedAt + (policy.queuedMaxMs ?? 0);
  let giveUps = 0;
  if (inOrder && policy.queuedMaxMs !== undefined) insertGiveUp('until it is given up while queued');
  let confirmations = 0;

  /** Behind everything that is due no later. */
  function insert(appointment: Appointment): void {
    const following = appointments.findIndex(({ at: when }) => when > appointment.at);
    appointments.splice(following === -1 ? appointments.length : following, 0, appointment);
  }

  function insertGiveUp(summary: string): void {
    insert({ at: giveUpAt, cause: 'give_up', n: giveUps, summary });
    giveUps += 1;
  }

  function dropDuties(): void {
    appointments = appointments.filter(({ cause }) => cause !== 'remind' && cause !== 'give_up');
  }

  /** Of several looks that are overdue one is enough, and nobody is reminded of what is being given up. */
  function isSuperseded({ cause }: Appointment, later: Appointment[], overdueAt: number): boolean {
    const overdue = later.filter(({ at: when }) => when <= overdueAt);
    if (cause === 'check') return overdue.find((other) => other.cause !== 'remind')?.cause === 'check';
    return cause === 'remind' && overdue.some((other) => other.cause === 'give_up');
  }

  return {
    next(overdueAt) {
      for (let [first, ...later] = appointments; inOrder && first; [first, ...later] = appointments) {
        if (!isSuperseded(first, later, overdueAt)) break;
        appointments = later;
      }
      return appointments[0];
    },
    keep: () => {
      appointments.shift();
    },
    confirmAgain(from) {
      if (confirmations >= confirmationsMax) return;
      const delays = policy.confirmDelaysMs;
      const delay = delays[Math.min(confirmations, delays.length - 1)] ?? 60_000;
      confirmations += 1;
      if (appointments[0]?.cause === 'confirmation') appointments.shift();
      insert(at(from, delay, 'confirmation', 'until the provider has confirmed it'));
    },
    isConfirming: () =>
      confirmations >= confirmationsMax || appointments.some(({ cause }) => cause === 'confirmation'),
    gaveUp(from, { inVain }) {
      const isAgain = inVain && giveUps < giveUpsMax;
      // Twice as long each time, beginning with the longest wait for a confirmation.
      const againMs = isAgain ? (policy.confirmDelaysMs.at(-1) ?? 60_000) * 2 ** (giveUps - 1) : 0;
      const lateMs = Math.max(0, from + againMs - giveUpAt);
      giveUpAt += lateMs;
      appointments = appointments.map((appointment) =>
        appointment.cause === 'deadline' || appointment.cause === 'watch_end'
          ? { ...appointment, at: appointment.at + lateMs }
          : appointment,
      );
      appointments.sort((a, b) => a.at - b.at);
      let delay = 0;
      for (const ms of policy.confirmDelaysMs) {
        delay += ms;
        insert(at(from, delay, 'confirmation', 'until the provider has confirmed that it is off'));
      }
      if (isAgain) insertGiveUp('until it is given up again');
    },
    entered(state, since, from) {
      if (inOrder && state === 'queued') {
        for (const [n, ms] of (policy.remindersMs ?? []).entries())
          insert({ at: since + ms, cause: 'remind', n, summary: 'until the recipient is reminded' });
      }
      if (inOrder && state === 'processing') dropDuties();
      if (!settledStates.includes(state) || (state === 'failed' && policy.failureIsSoft === true)) return;
      const later = state === 'succeeded' ? (policy.afterSuccessChecksMs ?? []) : [];
      const looks = later.map((ms) => at(since, ms, 'check', 'until a look whether it was taken back'));
      appointments = inOrder ? withoutMissed(from, looks) : looks.filter((look) => look.at > from);
    },
  };
}

/** A payment that is taken up again asks once for all the questions that it has missed. */
function withoutMissed(now: number, looks: Look[]): Look[] {
  const isMissed = ({ at, cause }: Look) => cause === 'check' && at <= now;
  const [first] = looks.filter(isMissed);
  const left = looks.filter((look) => !isMissed(look));
  return first ? [{ ...first, at: now }, ...left] : left;
}
