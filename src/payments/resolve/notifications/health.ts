/** The verdict on the notifications of each kind of payment of an account, and its start. */
import type { Database, Transaction } from '../../../store/database';
import type { CallbackHealthRow, CallbackSource } from '../../../store/tables';
import { keyOf, noCounts, countsSince, quantileOf, type Counts, type Lags } from './counts';
import type { Sample } from './samples';

export async function findHealth(db: Database | Transaction): Promise<CallbackHealthRow[]> {
  return db('notification_health').orderBy(['rail', 'account', 'kind']);
}

export async function writeHealth(trx: Transaction, rows: CallbackHealthRow[]): Promise<void> {
  if (rows.length === 0) return;
  await trx('notification_health').insert(rows).onConflict(['rail', 'account', 'kind']).merge();
}

/** @returns the verdicts after the samples, in their order, of each kind of payment that a sample concerns. */
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
    received_in_a_row: 0,
    expected: '0',
    received: '0',
    expected_at: null,
    received_at: null,
  };
}

function afterSample(row: CallbackHealthRow, { endedAt, lagMs }: Sample): CallbackHealthRow {
  const hasCome = lagMs !== undefined;
  const { missedInARow, comeInARow, isStopped } = follow(runOf(row), hasCome);
  const wasStopped = row.verdict === 'stopped';
  // Every verdict except "stopped" needs more than one payment: the next run judges it.
  const verdict = isStopped ? 'stopped' : wasStopped ? 'late' : row.verdict;
  return {
    ...turned(row, verdict),
    missed_in_a_row: missedInARow,
    received_in_a_row: comeInARow,
    expected: String(BigInt(row.expected) + 1n),
    received: String(BigInt(row.received) + (hasCome ? 1n : 0n)),
    expected_at: endedAt,
    received_at: hasCome ? endedAt : row.received_at,
  };
}

/** @returns the same row where the verdict has not changed. */
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
  received_in_a_row: comeInARow,
  verdict,
}: CallbackHealthRow): Run {
  return { missedInARow, comeInARow, isStopped: verdict === 'stopped' };
}

function turned(row: CallbackHealthRow, verdict: CallbackVerdict): CallbackHealthRow {
  return verdict === row.verdict ? row : { ...row, verdict, since: new Date() };
}

// Whether a provider's notifications arrive, judged by the payments that ended last and by those of the last half
// hour. A verdict needs several payments to begin and to end, so one lost or one received notification changes
// nothing. Pure.

/**
 * unknown: too few payments ended. late: notifications arrive, but many are late or missing. stopped: none arrives
 * any more.
 */
export type CallbackVerdict = 'unknown' | 'healthy' | 'late' | 'stopped';

/** So many payments in a row without a notification in time mean that the notifications have stopped. */
export const stoppedAfterMissed = 5;
/** So many notifications in a row mean that they arrive again. */
export const backAfterCome = 3;
/** Fewer payments than this in the last half hour are too few to judge delays. */
const samplesLeast = 5;
/**
 * The limits for "late": the median delay and the share of notifications that arrived; and the limits at which it
 * ends.
 */
const late = { begins: { medianSeconds: 30, share: 0.9 }, ends: { medianSeconds: 10, share: 0.95 } };
/** A provider without an ended payment for this long has no verdict any more. */
const forgottenAfterMs = 24 * 3_600_000;

/** The run of the payments that ended last, whatever their number and however long ago. */
export interface Run {
  missedInARow: number;
  comeInARow: number;
  isStopped: boolean;
}

/** The payments that ended in the last half hour. */
interface Recent {
  expected: number;
  received: number;
  lags: Lags;
}

/** One more payment has ended, and its notification came in time, or did not. */
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
  /** Since the last payment ended whose notification was expected. */
  quietMs: number;
}

/** The first rule that applies decides. */
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
  return median > medianSeconds || recent.received < recent.expected * share;
}

/** The figures that are shown for the notifications of one kind of payment of an account. */
export interface CallbackFigures extends CallbackSource {
  verdict: CallbackHealthRow['verdict'];
  since: Date;
  /** Since then. */
  expected: number;
  received: number;
  reportedFirst: number;
  /** Undefined where none arrived, or the last bucket has no upper limit. */
  lagP50Seconds: number | undefined;
  lagP99Seconds: number | undefined;
  /** Since the first count. */
  expectedInAll: number;
  comeInAll: number;
}

/** @param since the start of the count, to ten minutes. */
export async function callbackFigures(db: Database, since: Date): Promise<CallbackFigures[]> {
  const [health, counts] = await Promise.all([findHealth(db), countsSince(db, since)]);
  return health.map(
    ({ rail, account, kind, verdict, since: turnedAt, expected: inAll, received: comeInAll }) => {
      const { lags, ...counted } = counts.get(keyOf({ rail, account, kind })) ?? noCounts;
      return {
        ...{ rail, account, kind, verdict, since: turnedAt, ...counted },
        lagP50Seconds: secondsOf(lags, 0.5),
        lagP99Seconds: secondsOf(lags, 0.99),
        expectedInAll: Number(inAll),
        comeInAll: Number(comeInAll),
      };
    },
  );
}

function secondsOf(lags: Lags, share: number): number | undefined {
  const seconds = quantileOf(lags, share);
  return seconds === Infinity ? undefined : seconds;
}
