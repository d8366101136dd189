/** What is said of the callbacks of each kind of payment of an account, and since when. */
import type { Database, Transaction } from '../../../store/database';
import type { CallbackHealthRow, CallbackSource } from '../../../store/tables';
import { keyOf, noCounts, countsSince, quantileOf, type Counts, type Lags } from './counts';
import type { Sample } from './samples';

export async function findHealth(db: Database | Transaction): Promise<CallbackHealthRow[]> {
  return db('callback_health').orderBy(['rail', 'account', 'kind']);
}

export async function writeHealth(trx: Transaction, rows: CallbackHealthRow[]): Promise<void> {
  if (rows.length === 0) return;
  await trx('callback_health').insert(rows).onConflict(['rail', 'account', 'kind']).merge();
}

/** @returns what is said after each of them, in their order, of those that any of them is about. */
export function followSamples(known: CallbackHealthRow[], samples: Sample[]): CallbackHealthRow[] {
  const before = new Map(known.map((row) => [keyOf(row), row]));
  const after = new Map<string, CallbackHealthRow>();
  for (const sample of samples) {
    const key = keyOf(sample.source);
    const row = after.get(key) ?? before.get(key) ?? newRow(sample.source);
    after.set(key, afterSample(row, sample));
  }
  return [...after.values()];
}

function newRow(source: CallbackSource): CallbackHealthRow {
  return {
    ...source,
    verdict: 'unknown',
    since: new Date(),
    missed_in_a_row: 0,
    come_in_a_row: 0,
    expected: '0',
    come: '0',
    expected_at: null,
    come_at: null,
  };
}

function afterSample(row: CallbackHealthRow, { endedAt, lagMs }: Sample): CallbackHealthRow {
  const hasCome = lagMs !== undefined;
  const { missedInARow, comeInARow, isStopped } = follow(runOf(row), hasCome);
  const wasStopped = row.verdict === 'stopped';
  // What else it is than stopped takes more than one payment to say: it is judged a moment later.
  const verdict = isStopped ? 'stopped' : wasStopped ? 'late' : row.verdict;
  return {
    ...turned(row, verdict),
    missed_in_a_row: missedInARow,
    come_in_a_row: comeInARow,
    expected: String(BigInt(row.expected) + 1n),
    come: String(BigInt(row.come) + (hasCome ? 1n : 0n)),
    expected_at: endedAt,
    come_at: hasCome ? endedAt : row.come_at,
  };
}

/** @returns the same row where nothing else is said of it now. */
export function judgeAnew(
  row: CallbackHealthRow,
  recent: Map<string, Counts>,
  timeScale: number,
): CallbackHealthRow {
  const verdict = judge({
    before: row.verdict,
    run: runOf(row),
    recent: recent.get(keyOf(row)) ?? noCounts,
    quietMs: (Date.now() - (row.expected_at?.getTime() ?? 0)) * timeScale,
  });
  return turned(row, verdict);
}

function runOf({
  missed_in_a_row: missedInARow,
  come_in_a_row: comeInARow,
  verdict,
}: CallbackHealthRow): Run {
  return { missedInARow, comeInARow, isStopped: verdict === 'stopped' };
}

function turned(row: CallbackHealthRow, verdict: CallbackVerdict): CallbackHealthRow {
  return verdict === row.verdict ? row : { ...row, verdict, since: new Date() };
}

// Whether a provider's callbacks come, by the payments that ended last and by those of the last half hour. It is not said
// lightly, and not taken back lightly, so that one lost callback, or one that came, changes nothing. Pure.

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
interface Recent {
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

/** What is shown of the callbacks of one kind of payment of an account. */
export interface CallbackFigures extends CallbackSource {
  verdict: CallbackHealthRow['verdict'];
  since: Date;
  /** Since then. */
  expected: number;
  come: number;
  toldFirst: number;
  /** Undefined where none came, or the last step has no end. */
  lagP50Seconds: number | undefined;
  lagP99Seconds: number | undefined;
  /** Since the beginning. */
  expectedInAll: number;
  comeInAll: number;
}

/** @param since from when on, to ten minutes, callbacks are counted. */
export async function callbackFigures(db: Database, since: Date): Promise<CallbackFigures[]> {
  const [health, counts] = await Promise.all([findHealth(db), countsSince(db, since)]);
  return health.map(({ rail, account, kind, verdict, since: turnedAt, expected: inAll, come: comeInAll }) => {
    const { lags, ...counted } = counts.get(keyOf({ rail, account, kind })) ?? noCounts;
    return {
      ...{ rail, account, kind, verdict, since: turnedAt, ...counted },
      lagP50Seconds: secondsOf(lags, 0.5),
      lagP99Seconds: secondsOf(lags, 0.99),
      expectedInAll: Number(inAll),
      comeInAll: Number(comeInAll),
    };
  });
}

function secondsOf(lags: Lags, share: number): number | undefined {
  const seconds = quantileOf(lags, share);
  return seconds === Infinity ? undefined : seconds;
}
