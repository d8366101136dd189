/**
 * Whether a provider's callbacks come, by the payments that ended last and by those of the last half hour. It is not said
 * lightly, and not taken back lightly, so that one lost callback, or one that came, changes nothing. Pure.
 */
import { quantileOf, type Lags } from './lags';

/**
 * unknown: too few payments ended to tell. late: they come, but many come late or not at all. stopped: none comes any
 * more.
 */
export type CallbackVerdict = 'unknown' | 'healthy' | 'late' | 'stopped';

/** So many payments in a row, without a callback in time, are a provider whose callbacks have stopped. */
export const stoppedAfterMissed = 5;
/** So many in a row that come are one whose callbacks are back. */
export const backAfterCome = 3;
/** Fewer than these in the last half hour say nothing about late ones. */
const samplesLeast = 5;
/** Half of the callbacks come so late, or so small a share of them comes at all; and when that is over. */
const late = { begins: { medianSeconds: 30, share: 0.9 }, ends: { medianSeconds: 10, share: 0.95 } };
/** Who has had no payment end for so long is no longer called anything. */
const forgottenAfterMs = 24 * 3_600_000;

/** The payments that ended last, whatever their number and however long ago. */
export interface Run {
  missedInARow: number;
  comeInARow: number;
  isStopped: boolean;
}

/** What ended in the last half hour. */
export interface Recent {
  expected: number;
  come: number;
  lags: Lags;
}

/** One payment more has ended, and its callback came in time, or did not. */
export function follow({ missedInARow, comeInARow, isStopped }: Run, hasCome: boolean): Run {
  const now = hasCome
    ? { missedInARow: 0, comeInARow: comeInARow + 1 }
    : { missedInARow: missedInARow + 1, comeInARow: 0 };
  return {
    ...now,
    isStopped: isStopped ? now.comeInARow < backAfterCome : now.missedInARow >= stoppedAfterMissed,
  };
}

interface Known {
  before: CallbackVerdict;
  run: Run;
  recent: Recent;
  /** Since the last payment ended of which a callback was expected. */
  quietMs: number;
}

/** The first that holds. */
const rules: readonly [CallbackVerdict, (known: Known) => boolean][] = [
  ['unknown', ({ quietMs }) => quietMs >= forgottenAfterMs],
  ['stopped', ({ run }) => run.isStopped],
  ['unknown', ({ recent }) => recent.expected < samplesLeast],
  ['late', isLate],
  ['healthy', () => true],
];

export function judge(known: Known): CallbackVerdict {
  return rules.find(([, holds]) => holds(known))?.[0] ?? 'unknown';
}

function isLate({ before, recent }: Known): boolean {
  const { medianSeconds, share } = before === 'late' || before === 'stopped' ? late.ends : late.begins;
  const median = quantileOf(recent.lags, 0.5) ?? 0;
  return median > medianSeconds || recent.come < recent.expected * share;
}
