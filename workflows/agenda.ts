import type { AcceptanceAnswer, Policy, ReviewCause } from '../src/domain/commands';

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
  /** Another look soon: a reported success awaits the provider's own word. */
  confirmAgain(now: number): void;
}

export function agendaOf(policy: Policy, answer: AcceptanceAnswer['kind'], acceptedAt: number): Agenda {
  const watchEnd = acceptedAt + policy.watchMs;
  const at = (ms: number, cause: ReviewCause, summary: string): Appointment => ({
    at: acceptedAt + ms,
    cause,
    summary,
  });
  // Without the provider's reference there is nothing to ask about, where the provider does not know ours.
  const blindMs = answer === 'unknown' ? policy.unknownDeadlineMs : undefined;
  const deadlineMs = blindMs ?? policy.checksMs.at(-1) ?? 0;
  const checks = blindMs === undefined ? policy.checksMs.slice(0, -1) : [];
  const appointments = [
    ...checks.map((ms) => at(ms, 'check', 'until the next status check')),
    at(deadlineMs, 'deadline', 'until the prompt is given up'),
    ...policy.rechecksMs.map((ms) => at(ms, 'check', 'until a late look')),
    at(policy.watchMs, 'deadline', 'until the watch ends'),
  ];
  let confirmations = 0;
  return {
    next: () => appointments[0],
    keep: () => {
      appointments.shift();
    },
    confirmAgain(now) {
      const delays = policy.confirmDelaysMs;
      const delay = delays[Math.min(confirmations, delays.length - 1)] ?? 60_000;
      confirmations += 1;
      const soon = Math.min(now + delay, watchEnd);
      if (appointments[0]?.cause === 'confirmation') appointments.shift();
      const before = appointments.findIndex((appointment) => appointment.at > soon);
      const appointment: Appointment = {
        at: soon,
        cause: 'confirmation',
        summary: 'until the success is confirmed',
      };
      if (before === -1) return;
      appointments.splice(before, 0, appointment);
    },
  };
}
