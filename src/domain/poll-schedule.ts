/**
 * When we check a payment by ourselves, without any report. Pure, and the only place that decides this. The timers of
 * the payment's workflow (`pollTimers`) and the deadline in its row (`checkDueAt`) both come from this schedule. A
 * paid payment has no waiting workflow: only its row keeps its checks.
 */
import type { Policy, ReviewCause } from './commands';
import { isSettled, type PaymentState } from './payment';

const second = 1_000;
const minute = 60 * second;
const day = 24 * 60 * minute;

/** A written payment whose workflow has not started after this long has none. */
export const startAfterMs = 2 * second;
/** A submission is answered, or counts as lost, in less. */
const submittedWithinMs = minute;
/** An open payment is checked at least this often. After its whole schedule it has a case, and the checks continue. */
const atLeastEveryMs = day;
/** How late a check may be before another process acts: a tenth of the wait, within these limits. */
const grace = { leastMs: minute, mostMs: 10 * minute, share: 0.1 };
/** After this many confirmations in a row without an answer, the sweeper continues. */
const confirmationsMax = 500;
/** After this many failed cancellations in a row, a queued payment is an operator's case. */
const giveUpsMax = 5;
const confirmDelayMs = minute;

/** How a queued payment was given up last: its provider was asked to cancel it, and has not confirmed that. */
export interface Abandoned {
  at: number;
  times: number;
  /** The provider may not have received the cancellation. */
  inVain: boolean;
}

/** Everything that the schedule depends on. Moments are of the payment's own clock, in milliseconds since 1970. */
export interface PaymentFacts {
  state: PaymentState;
  acceptedAt: number;
  /** The provider's own reference is known. */
  isNamed: boolean;
  abandoned?: Abandoned;
  /** When it ended; only its row knows that, and the next two. */
  endedAt?: number;
  /** When its provider last warned that money may be taken back. */
  warnedAt?: number;
  /** All of it has already gone back. */
  isAllReturned?: boolean;
}

/** A status check: a poll of the provider. */
export interface ScheduledCheck {
  at: number;
  cause: Exclude<ReviewCause, 'notification'>;
  summary: string;
}

/** A step for a payment that is still queued: the n-th reminder to its recipient, or the giving up. */
export interface QueueStep {
  at: number;
  cause: 'remind' | 'give_up';
  n: number;
  summary: string;
}

export type Scheduled = ScheduledCheck | QueueStep;

/** The order of several steps that are due at the same moment. */
const order: readonly Scheduled['cause'][] = [
  'check',
  'deadline',
  'watch_end',
  'confirmation',
  'remind',
  'give_up',
];
const cancelledAgain = 'send the cancellation again';
const rankOf = ({ cause }: Scheduled) => order.indexOf(cause);
const byTime = (a: Scheduled, b: Scheduled) => a.at - b.at || rankOf(a) - rankOf(b);

const openStates: readonly PaymentState[] = ['pending', 'queued', 'processing'];
const isOpen = ({ state }: PaymentFacts) => openStates.includes(state);

/** How long after its acceptance a payment without any report is given up: sooner where it cannot be polled. */
export function deadlineMs({ checksMs, unknownDeadlineMs }: Policy, isNamed: boolean): number {
  return (isNamed ? undefined : unknownDeadlineMs) ?? checksMs.at(-1) ?? 0;
}

/** The whole schedule of a payment in time order, including the past, without the daily checks that repeat forever. */
function scheduleOf(policy: Policy, facts: PaymentFacts): Scheduled[] {
  const { state } = facts;
  if (isSettled(state)) return afterSettlement(policy, facts).sort(byTime);
  const isWatched =
    isOpen(facts) || state === 'timed_out' || (state === 'failed' && policy.failureIsSoft === true);
  if (!isWatched) return [];
  const checks = [...untilWatchEnds(policy, facts), ...confirmationsOfGiveUp(policy, facts)].sort(byTime);
  const all = isOpen(facts) ? [...checks, ...between(checks)] : checks;
  return (state === 'queued' ? [...all, ...inQueue(policy, facts)] : all).sort(byTime);
}

function untilWatchEnds(policy: Policy, facts: PaymentFacts): ScheduledCheck[] {
  const { acceptedAt, isNamed } = facts;
  const isBlind = !isNamed && policy.unknownDeadlineMs !== undefined;
  const check = (ms: number, summary: string) => checkAt(acceptedAt + ms, 'check', summary);
  const { checksMs, rechecksMs } = policy;
  const ofAll = (n: number, all: readonly number[]) => `${String(n + 1)} of ${String(all.length)}`;
  // The wait for the provider's result is as long as if a queued payment had been given up in time.
  const from = acceptedAt + laterMs(policy, facts);
  return [
    ...(isBlind ? [] : checksMs.slice(0, -1)).map((ms, n) => check(ms, `status check ${ofAll(n, checksMs)}`)),
    checkAt(
      from + deadlineMs(policy, isNamed),
      'deadline',
      isBlind
        ? 'deadline: the provider cannot be asked before'
        : `status check ${ofAll(checksMs.length - 1, checksMs)}, the deadline`,
    ),
    ...rechecksMs.map((ms, n) => check(ms, `late status check ${ofAll(n, rechecksMs)}`)),
    checkAt(from + policy.watchMs, 'watch_end', 'last status check'),
  ];
}

function confirmationsOfGiveUp({ confirmDelaysMs }: Policy, { abandoned }: PaymentFacts): ScheduledCheck[] {
  let at = abandoned?.at ?? 0;
  return (abandoned ? confirmDelaysMs : []).map((ms) => {
    at += ms;
    return checkAt(at, 'confirmation', 'check whether the cancellation is confirmed');
  });
}

/** Further checks of an open payment, where its policy would leave more than a day between two checks. */
function between(checks: readonly ScheduledCheck[]): ScheduledCheck[] {
  return checks.flatMap(({ at }, index) => {
    const following = checks[index + 1]?.at ?? at;
    const days = Math.max(0, Math.ceil((following - at) / atLeastEveryMs) - 1);
    return Array.from({ length: days }, (_, n) =>
      checkAt(at + (n + 1) * atLeastEveryMs, 'check', 'daily status check'),
    );
  });
}

function inQueue(policy: Policy, facts: PaymentFacts): QueueStep[] {
  const { remindersMs = [] } = policy;
  const reminders = remindersMs.map((ms, n): QueueStep => {
    const summary = `reminder ${String(n + 1)} of ${String(remindersMs.length)} to the recipient`;
    return { at: facts.acceptedAt + ms, cause: 'remind', n, summary };
  });
  const at = giveUpAt(policy, facts);
  const n = facts.abandoned?.times ?? 0;
  const summary = n === 0 ? 'cancel the payout, which was queued for too long' : cancelledAgain;
  return at === undefined ? reminders : [...reminders, { at, cause: 'give_up', n, summary }];
}

/** When a queued payment is given up next; undefined when the last cancellation still needs the provider's result. */
function giveUpAt(policy: Policy, { acceptedAt, abandoned }: PaymentFacts): number | undefined {
  if (policy.queuedMaxMs === undefined) return undefined;
  if (!abandoned) return acceptedAt + policy.queuedMaxMs;
  if (!abandoned.inVain || abandoned.times >= giveUpsMax) return undefined;
  // Twice as long each time, starting with the longest wait for a confirmation.
  return abandoned.at + longestConfirmMs(policy) * 2 ** (abandoned.times - 1);
}

/** How much later the end of the wait is, because a queued payment was given up too late, or will be given up again. */
function laterMs(policy: Policy, facts: PaymentFacts): number {
  const { acceptedAt, abandoned } = facts;
  if (!abandoned || policy.queuedMaxMs === undefined) return 0;
  return Math.max(0, (giveUpAt(policy, facts) ?? abandoned.at) - (acceptedAt + policy.queuedMaxMs));
}

/**
 * Checks whether a paid amount was taken back or returned. The rest of it may go back, and all of it may come again.
 */
function afterSettlement(policy: Policy, facts: PaymentFacts): ScheduledCheck[] {
  const { state, endedAt, warnedAt, isAllReturned } = facts;
  const isReturned = state !== 'succeeded' && isAllReturned === true;
  const isFollowed = state !== 'returned' && !isReturned && endedAt !== undefined;
  const later = isFollowed ? (policy.afterSuccessChecksMs ?? []).map((ms) => endedAt + ms) : [];
  const isWarned = state !== 'returned' && warnedAt !== undefined;
  const warned = isWarned ? (policy.afterWarningChecksMs ?? []).map((ms) => warnedAt + ms) : [];
  return [...later, ...warned].map((at) => checkAt(at, 'check', 'check for a return or reversal'));
}

function checkAt(at: number, cause: ScheduledCheck['cause'], summary: string): ScheduledCheck {
  return { at, cause, summary };
}

function longestConfirmMs({ confirmDelaysMs }: Policy): number {
  return confirmDelaysMs.at(-1) ?? confirmDelayMs;
}

// The deadline in the row.

/**
 * The next check of a payment: by its schedule, or daily where it is open after the end of the schedule. A reminder
 * does not count, because it polls nothing. An overdue check does not count either: the caller has just checked the
 * payment.
 */
export function nextCheckAt(policy: Policy, facts: PaymentFacts, now: number): number | undefined {
  if (facts.state === 'received') return now + startAfterMs;
  if (facts.state === 'initiating') return now + submittedWithinMs;
  const schedule = scheduleOf(policy, facts);
  const next = schedule.find(({ at, cause }) => cause !== 'remind' && at > now);
  if (next || !isOpen(facts)) return next?.at;
  const end = Math.min(now, schedule.at(-1)?.at ?? now);
  return end + (Math.floor((now - end) / atLeastEveryMs) + 1) * atLeastEveryMs;
}

/**
 * The deadline of a payment's next check. The workflow of an open payment checks it in time, so its row is due only
 * when the workflow missed the check. A check that only the row keeps is due when it is planned.
 * @param how `unconfirmed`: a report needs the provider's own answer, for which the workflow polls soon.
 * @returns undefined when the watch is over.
 */
export function checkDueAt(
  policy: Policy,
  facts: PaymentFacts,
  now: number,
  { unconfirmed }: { unconfirmed: boolean } = { unconfirmed: false },
): number | undefined {
  const next = nextCheckAt(policy, facts, now);
  const isKeptByRow = facts.state === 'received' || isSettled(facts.state);
  const due = next !== undefined && !isKeptByRow ? next + graceMs(policy, next - now) : next;
  if (!unconfirmed) return due;
  // The row does not know how many polls have been made.
  const soon = now + longestConfirmMs(policy) + graceMs(policy, 0);
  return due === undefined ? soon : Math.min(due, soon);
}

/** The last check that was due by now; undefined where none was. */
export function lastCheckAt(policy: Policy, facts: PaymentFacts, now: number): number | undefined {
  return scheduleOf(policy, facts).findLast(({ at, cause }) => cause !== 'remind' && at <= now)?.at;
}

/** How late a check may be before the sweeper acts. */
function graceMs({ checkGraceMs = grace.leastMs }: Policy, waitMs: number): number {
  return Math.max(checkGraceMs, Math.min(grace.mostMs, waitMs * grace.share));
}

// The timers of the workflow.

/** The facts for the schedule that a status check has found. */
export interface Seen extends Pick<PaymentFacts, 'state' | 'isNamed'> {
  /** The provider itself was polled. */
  isAsked: boolean;
  /** A report needs the provider's own answer, so that the payment is checked again soon. */
  unconfirmed: boolean;
}

/** The timers of a workflow, one after the other. */
export interface PollTimers {
  /** The next timer; undefined when the watch is over, or only the row keeps the remaining checks. */
  next(now: number): Scheduled | undefined;
  /** Marks the next timer as done. */
  keep(): void;
  /** The payment was checked. */
  checked(now: number, seen: Seen): void;
  /** A queued payment was given up, and its provider has not confirmed it. */
  gaveUp(now: number, how: { inVain: boolean }): void;
  /**
   * Whether a confirmation is still to come, or was awaited without success for so long that only these timers know
   * it.
   */
  isConfirming(): boolean;
}

/**
 * @param facts of a payment that was just accepted, or that a restarted workflow continues, possibly after its
 *   schedule ended.
 */
export function pollTimers(policy: Policy, accepted: PaymentFacts, now: number): PollTimers {
  let facts = accepted;
  /** The missed steps, done once and first. */
  let missed: Scheduled[] = [];
  /** The next poll for a confirmation that a status check needs. */
  let confirmation: Scheduled | undefined;
  let confirmations = 0;
  let done: Scheduled | undefined;
  /** Checks and reminders up to here are done, or missed. */
  let since = { check: now, remind: now };

  function isToCome(scheduled: Scheduled): boolean {
    const { at, cause } = scheduled;
    if ((cause === 'check' && at <= since.check) || (cause === 'remind' && at <= since.remind)) return false;
    return done === undefined || byTime(scheduled, done) > 0;
  }

  function upcoming(): Scheduled[] {
    const kept = isSettled(facts.state) ? [] : scheduleOf(policy, facts).filter(isToCome);
    return [...missed, ...(confirmation ? [...kept, confirmation].sort(byTime) : kept)];
  }

  function pass(scheduled: Scheduled | undefined): void {
    if (scheduled === confirmation) confirmation = undefined;
    else if (scheduled && scheduled === missed[0]) missed = missed.slice(1);
    else done = scheduled;
  }

  /** One reminder replaces those that were missed. */
  function missReminders(from: number): void {
    since = { ...since, remind: from };
    const last = inQueue(policy, facts).findLast(({ at, cause }) => cause === 'remind' && at <= from);
    if (last) missed = [...missed, { ...last, at: from }];
  }

  /** A payment that enters the queue after its longest queue time is given up at once. */
  function enterQueue(from: number): void {
    missReminders(from);
    const giveUp = inQueue(policy, facts).find(({ at, cause }) => cause === 'give_up' && at <= from);
    if (giveUp) missed = [...missed, { ...giveUp, at: from }];
  }

  /** One check replaces those that were missed. */
  function takeUp(): void {
    if (isSettled(facts.state)) return;
    const schedule = scheduleOf(policy, facts);
    const check = schedule.find(({ at, cause }) => cause === 'check' && at <= now);
    if (check) missed = [{ ...check, at: now }];
    if (facts.state !== 'queued') return;
    missReminders(now);
    const isOver = now >= (schedule.at(-1)?.at ?? now) + atLeastEveryMs;
    const { abandoned } = facts;
    if (abandoned && isOver)
      missed = [...missed, { at: now, cause: 'give_up', n: abandoned.times, summary: cancelledAgain }];
  }

  takeUp();
  return {
    next(overdueAt) {
      let coming = upcoming();
      for (let [first, ...later] = coming; first && isSuperseded(first, later, overdueAt);) {
        pass(first);
        coming = upcoming();
        [first, ...later] = coming;
      }
      return coming[0];
    },
    keep: () => {
      pass(upcoming()[0]);
    },
    checked(from, { state, isNamed, isAsked, unconfirmed }) {
      const before = facts;
      facts = { ...facts, state, isNamed };
      // While the provider was not polled, its answer is still awaited.
      if (isAsked || unconfirmed || state !== before.state) confirmation = undefined;
      // It could not be polled until now, and just was.
      if (isNamed !== before.isNamed) since = { ...since, check: from };
      if (state !== before.state) {
        const isStillWatched = scheduleOf(policy, facts).length > 0 && !isSettled(facts.state);
        missed = isStillWatched ? missed.filter(({ cause }) => cause === 'check') : [];
        if (state === 'queued') enterQueue(from);
      }
      if (!unconfirmed || confirmations >= confirmationsMax) return;
      const { confirmDelaysMs: delays } = policy;
      const delay = delays[Math.min(confirmations, delays.length - 1)] ?? confirmDelayMs;
      confirmations += 1;
      confirmation = checkAt(from + delay, 'confirmation', 'check whether the report is confirmed');
    },
    gaveUp(at, { inVain }) {
      facts = { ...facts, abandoned: { at, times: (facts.abandoned?.times ?? 0) + 1, inVain } };
    },
    isConfirming: () => confirmation !== undefined || confirmations >= confirmationsMax,
  };
}

/** Of several overdue checks one is enough, and a recipient gets no reminder of a payment that is being given up. */
function isSuperseded({ cause }: Scheduled, later: Scheduled[], overdueAt: number): boolean {
  const overdue = later.filter(({ at }) => at <= overdueAt);
  if (cause === 'check') return overdue.find((other) => other.cause !== 'remind')?.cause === 'check';
  return cause === 'remind' && overdue.some((other) => other.cause === 'give_up');
}
