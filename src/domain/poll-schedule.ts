/**
 * When a payment is checked by ourselves, should nothing be reported. Pure, and the only place that says so: the timers
 * of the payment's workflow (`pollTimers`) and the time by which its row is due (`checkDueAt`) are two readings of the
 * same schedule. What was paid has no workflow that waits: its checks are kept by its row alone.
 */
import type { Policy, ReviewCause } from './commands';
import { isSettled, type PaymentState } from './payment';

const second = 1_000;
const minute = 60 * second;
const day = 24 * 60 * minute;

/** A written payment whose workflow has not begun after this long has none. */
export const startAfterMs = 2 * second;
/** A submission is answered, or counts as lost, in less. */
const submittedWithinMs = minute;
/** An open payment is checked at least this often. After its whole schedule it is a person's question, and still is. */
const atLeastEveryMs = day;
/** How late a check may be before somebody else sees to it: a tenth of the wait, within these. */
const grace = { leastMs: minute, mostMs: 10 * minute, share: 0.1 };
/** A provider that never answers is left to the sweeper after so many confirmations in a row. */
const confirmationsMax = 500;
/** A payment that could not be given up so many times in a row is a person's question. */
const giveUpsMax = 5;
const confirmDelayMs = minute;

/** How a queued payment was given up last: its provider was asked to cancel it, and has not confirmed that it did. */
export interface GivenUp {
  at: number;
  times: number;
  /** The provider may not have heard of it. */
  inVain: boolean;
}

/** All that the schedule depends on. Moments are of the payment's own clock, in milliseconds since 1970. */
export interface PaymentFacts {
  state: PaymentState;
  acceptedAt: number;
  /** The provider's own reference is known. */
  isNamed: boolean;
  givenUp?: GivenUp;
  /** When it ended; only its row knows that, and the next two. */
  endedAt?: number;
  /** When its provider warned last that money may be taken back. */
  warnedAt?: number;
  /** All of it went back already. */
  isAllGivenBack?: boolean;
}

/** A status check: the provider is asked. */
export interface ScheduledCheck {
  at: number;
  cause: Exclude<ReviewCause, 'notification'>;
  summary: string;
}

/** What is done about a payment that is still queued: its recipient is reminded for the n-th time, or it is given up. */
export interface QueueStep {
  at: number;
  cause: 'remind' | 'give_up';
  n: number;
  summary: string;
}

export type Scheduled = ScheduledCheck | QueueStep;

/** What comes first of several things that are due at the same moment. */
const order: readonly Scheduled['cause'][] = [
  'check',
  'deadline',
  'watch_end',
  'confirmation',
  'remind',
  'give_up',
];
const rankOf = ({ cause }: Scheduled) => order.indexOf(cause);
const byTime = (a: Scheduled, b: Scheduled) => a.at - b.at || rankOf(a) - rankOf(b);

const openStates: readonly PaymentState[] = ['pending', 'queued', 'processing'];
const isOpen = ({ state }: PaymentFacts) => openStates.includes(state);

/** How long after its acceptance a payment without any report is given up: shorter where nobody can be asked. */
export function deadlineMs({ checksMs, unknownDeadlineMs }: Policy, isNamed: boolean): number {
  return (isNamed ? undefined : unknownDeadlineMs) ?? checksMs.at(-1) ?? 0;
}

/** The whole schedule of a payment in the order of its moments, past ones included, without what is repeated for ever. */
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
  // The provider's word is awaited as long as if a queued payment had been given up in time.
  const from = acceptedAt + laterMs(policy, facts);
  return [
    ...(isBlind ? [] : policy.checksMs.slice(0, -1)).map((ms) => check(ms, 'until the next status check')),
    checkAt(from + deadlineMs(policy, isNamed), 'deadline', 'until the prompt is given up'),
    ...policy.rechecksMs.map((ms) => check(ms, 'until a late check')),
    checkAt(from + policy.watchMs, 'watch_end', 'until the watch ends'),
  ];
}

function confirmationsOfGiveUp({ confirmDelaysMs }: Policy, { givenUp }: PaymentFacts): ScheduledCheck[] {
  let at = givenUp?.at ?? 0;
  return (givenUp ? confirmDelaysMs : []).map((ms) => {
    at += ms;
    return checkAt(at, 'confirmation', 'until the provider has confirmed that it is off');
  });
}

/** What an open payment is checked at besides, where its policy would leave it alone for longer than a day. */
function between(checks: readonly ScheduledCheck[]): ScheduledCheck[] {
  return checks.flatMap(({ at }, index) => {
    const following = checks[index + 1]?.at ?? at;
    const days = Math.max(0, Math.ceil((following - at) / atLeastEveryMs) - 1);
    return Array.from({ length: days }, (_, n) =>
      checkAt(at + (n + 1) * atLeastEveryMs, 'check', 'until the daily check'),
    );
  });
}

function inQueue(policy: Policy, facts: PaymentFacts): QueueStep[] {
  const reminders = (policy.remindersMs ?? []).map((ms, n): QueueStep => {
    return { at: facts.acceptedAt + ms, cause: 'remind', n, summary: 'until the recipient is reminded' };
  });
  const at = giveUpAt(policy, facts);
  const n = facts.givenUp?.times ?? 0;
  const summary = n === 0 ? 'until it is given up while queued' : 'until it is given up again';
  return at === undefined ? reminders : [...reminders, { at, cause: 'give_up', n, summary }];
}

/** When a queued payment is given up next; undefined when that has to wait for what its provider makes of the last time. */
function giveUpAt(policy: Policy, { acceptedAt, givenUp }: PaymentFacts): number | undefined {
  if (policy.queuedMaxMs === undefined) return undefined;
  if (!givenUp) return acceptedAt + policy.queuedMaxMs;
  if (!givenUp.inVain || givenUp.times >= giveUpsMax) return undefined;
  // Twice as long each time, beginning with the longest wait for a confirmation.
  return givenUp.at + longestConfirmMs(policy) * 2 ** (givenUp.times - 1);
}

/** By how much the end of the wait is put off, because a queued payment was given up too late, or is to be once more. */
function laterMs(policy: Policy, facts: PaymentFacts): number {
  const { acceptedAt, givenUp } = facts;
  if (!givenUp || policy.queuedMaxMs === undefined) return 0;
  return Math.max(0, (giveUpAt(policy, facts) ?? givenUp.at) - (acceptedAt + policy.queuedMaxMs));
}

/** Whether what was paid was taken back, or came back. What is left of it may go back, and all of it may come again. */
function afterSettlement(policy: Policy, facts: PaymentFacts): ScheduledCheck[] {
  const { state, endedAt, warnedAt, isAllGivenBack } = facts;
  const isGivenBack = state !== 'succeeded' && isAllGivenBack === true;
  const isFollowed = state !== 'returned' && !isGivenBack && endedAt !== undefined;
  const later = isFollowed ? (policy.afterSuccessChecksMs ?? []).map((ms) => endedAt + ms) : [];
  const isWarned = state !== 'returned' && warnedAt !== undefined;
  const warned = isWarned ? (policy.afterWarningChecksMs ?? []).map((ms) => warnedAt + ms) : [];
  return [...later, ...warned].map((at) => checkAt(at, 'check', 'until a check whether it was taken back'));
}

function checkAt(at: number, cause: ScheduledCheck['cause'], summary: string): ScheduledCheck {
  return { at, cause, summary };
}

function longestConfirmMs({ confirmDelaysMs }: Policy): number {
  return confirmDelaysMs.at(-1) ?? confirmDelayMs;
}

// The row's reading.

/**
 * The next check of a payment: by its schedule, or daily where it is open after the end of that. A reminder is none,
 * since it asks nobody. One that is overdue does not count: whoever reads this has just seen to the payment.
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
 * By when somebody must have checked a payment again: its workflow checks it in time, so that the row is only due when
 * that was forgotten. What the row keeps by itself is due when it is planned.
 * @param how `unconfirmed`: what was reported awaits the provider's own word, which the workflow asks for soon.
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
  // How often it was asked for already is not known to the row.
  const soon = now + longestConfirmMs(policy) + graceMs(policy, 0);
  return due === undefined ? soon : Math.min(due, soon);
}

/** The last check that was due by now; undefined where none was. */
export function lastCheckAt(policy: Policy, facts: PaymentFacts, now: number): number | undefined {
  return scheduleOf(policy, facts).findLast(({ at, cause }) => cause !== 'remind' && at <= now)?.at;
}

/** How late a check may be before the sweeper sees to it. */
function graceMs({ checkGraceMs = grace.leastMs }: Policy, waitMs: number): number {
  return Math.max(checkGraceMs, Math.min(grace.mostMs, waitMs * grace.share));
}

// The workflow's reading.

/** What a status check has found of what the schedule depends on. */
export interface Seen extends Pick<PaymentFacts, 'state' | 'isNamed'> {
  /** The provider itself was asked. */
  isAsked: boolean;
  /** What was reported awaits the provider's own word, so that it is checked again soon. */
  unconfirmed: boolean;
}

/** What a workflow waits for, one after the other. */
export interface PollTimers {
  /** What comes next; undefined when the watch is over, or the row keeps what is left. */
  next(now: number): Scheduled | undefined;
  /** What came next is done. */
  keep(): void;
  /** The payment was checked. */
  checked(now: number, seen: Seen): void;
  /** A queued payment was given up, and its provider has not confirmed it. */
  gaveUp(now: number, how: { inVain: boolean }): void;
  /** Whether a confirmation is still to come, or was awaited in vain for so long that only these timers know. */
  isConfirming(): boolean;
}

/** @param facts of a payment that was just accepted, or is taken up again, maybe long after its schedule ended. */
export function pollTimers(policy: Policy, accepted: PaymentFacts, now: number): PollTimers {
  let facts = accepted;
  /** What was missed, which is done once and first. */
  let missed: Scheduled[] = [];
  /** What a status check has asked the provider for, without an answer yet. */
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

  /** One reminder does for those that were missed. */
  function missReminders(from: number): void {
    since = { ...since, remind: from };
    const last = inQueue(policy, facts).findLast(({ at, cause }) => cause === 'remind' && at <= from);
    if (last) missed = [...missed, { ...last, at: from }];
  }

  /** What is queued only after the longest that it may be is given up at once. */
  function enterQueue(from: number): void {
    missReminders(from);
    const giveUp = inQueue(policy, facts).find(({ at, cause }) => cause === 'give_up' && at <= from);
    if (giveUp) missed = [...missed, { ...giveUp, at: from }];
  }

  /** One check does for those that were missed. */
  function takeUp(): void {
    if (isSettled(facts.state)) return;
    const schedule = scheduleOf(policy, facts);
    const check = schedule.find(({ at, cause }) => cause === 'check' && at <= now);
    if (check) missed = [{ ...check, at: now }];
    if (facts.state !== 'queued') return;
    missReminders(now);
    const isOver = now >= (schedule.at(-1)?.at ?? now) + atLeastEveryMs;
    const { givenUp } = facts;
    if (givenUp && isOver)
      missed = [
        ...missed,
        { at: now, cause: 'give_up', n: givenUp.times, summary: 'until it is given up again' },
      ];
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
      // As long as the provider was not asked, its word is awaited.
      if (isAsked || unconfirmed || state !== before.state) confirmation = undefined;
      // It could not be asked about until now, and just was.
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
      confirmation = checkAt(from + delay, 'confirmation', 'until the provider has confirmed it');
    },
    gaveUp(at, { inVain }) {
      facts = { ...facts, givenUp: { at, times: (facts.givenUp?.times ?? 0) + 1, inVain } };
    },
    isConfirming: () => confirmation !== undefined || confirmations >= confirmationsMax,
  };
}

/** Of several checks that are overdue one is enough, and nobody is reminded of what is being given up. */
function isSuperseded({ cause }: Scheduled, later: Scheduled[], overdueAt: number): boolean {
  const overdue = later.filter(({ at }) => at <= overdueAt);
  if (cause === 'check') return overdue.find((other) => other.cause !== 'remind')?.cause === 'check';
  return cause === 'remind' && overdue.some((other) => other.cause === 'give_up');
}
