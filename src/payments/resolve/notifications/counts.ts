/** How many notifications were expected, how many arrived and how late, in slots of ten minutes. */
import type { Database, Transaction } from '../../../store/database';
import type { CallbackCountRow, CallbackSource } from '../../../store/tables';
import type { Sample } from './samples';

// A histogram of the delays: a dozen numbers replace thousands of delays. Pure.

/** The upper limits of the buckets, in seconds. The last bucket counts every longer delay. */
const stepsSeconds = [0, 1, 2, 5, 10, 20, 30, 60, 120, Infinity] as const;

/** One number for each bucket. */
export type Lags = readonly number[];

export const noLags: Lags = stepsSeconds.map(() => 0);

/** @param ms 0 or less where the notification came before we knew the result. */
export function withLag(lags: Lags, ms: number): Lags {
  const at = stepsSeconds.findIndex((seconds) => ms <= seconds * 1_000);
  return lags.map((n, step) => (step === at ? n + 1 : n));
}

function sumOfLags(all: readonly Lags[]): Lags {
  return noLags.map((_, step) => all.reduce((sum, lags) => sum + (lags[step] ?? 0), 0));
}

/**
 * @param share such as 0.99.
 * @returns the seconds within which that share arrived: the upper limit of its bucket; undefined where none arrived.
 */
export function quantileOf(lags: Lags, share: number): number | undefined {
  const total = lags.reduce((sum, n) => sum + n, 0);
  if (total === 0) return undefined;
  let counted = 0;
  return stepsSeconds.find((_, step) => (counted += lags[step] ?? 0) >= total * share);
}

export const textOfLags = (lags: Lags): string => lags.join(',');

/** Text that cannot be read counts as empty: another version may use other buckets. */
export function readLags(text: string): Lags {
  const numbers = text.split(',').map(Number);
  const isOurs = numbers.length === noLags.length && numbers.every((n) => Number.isSafeInteger(n) && n >= 0);
  return isOurs ? numbers : noLags;
}

const slotMs = 600_000;

export interface Counts {
  expected: number;
  received: number;
  /** How many of these notifications came before our own poll. */
  reportedFirst: number;
  lags: Lags;
}

export const noCounts: Counts = { expected: 0, received: 0, reportedFirst: 0, lags: noLags };

export const keyOf = ({ rail, account, kind }: CallbackSource): string => `${rail} ${account} ${kind}`;
export const slotOf = (at: Date): Date => new Date(Math.floor(at.getTime() / slotMs) * slotMs);

/** Adds samples. The caller holds the lock that all counting workers share. */
export async function keepCounts(trx: Transaction, samples: Sample[], timeScale: number): Promise<void> {
  const bySlot = new Map<string, Sample[]>();
  for (const sample of samples) {
    const slot = `${slotOf(sample.endedAt).toISOString()} ${keyOf(sample.source)}`;
    bySlot.set(slot, [...(bySlot.get(slot) ?? []), sample]);
  }
  for (const alike of bySlot.values()) {
    const [first] = alike;
    if (!first) continue;
    const where = { slot_at: slotOf(first.endedAt), ...first.source };
    const before = await trx('notification_counts').where(where).first();
    const now = added(before ? readRow(before) : noCounts, alike, timeScale);
    await trx('notification_counts')
      .insert({ ...where, ...rowOf(now) })
      .onConflict(['slot_at', 'rail', 'account', 'kind'])
      .merge();
  }
}

/** The sandbox's delays are converted to live time. */
function added(counts: Counts, samples: Sample[], timeScale: number): Counts {
  return samples.reduce(
    ({ expected, received, reportedFirst, lags }, { lagMs }) => ({
      expected: expected + 1,
      received: received + (lagMs === undefined ? 0 : 1),
      reportedFirst: reportedFirst + (lagMs === 0 ? 1 : 0),
      lags: lagMs === undefined ? lags : withLag(lags, lagMs * timeScale),
    }),
    counts,
  );
}

/** @returns the payments that ended since then, to ten minutes, by `keyOf`. */
export async function countsSince(db: Database | Transaction, since: Date): Promise<Map<string, Counts>> {
  const rows = await db('notification_counts').where('slot_at', '>', new Date(since.getTime() - slotMs));
  const counts = new Map<string, Counts>();
  for (const row of rows) counts.set(keyOf(row), sum(counts.get(keyOf(row)) ?? noCounts, readRow(row)));
  return counts;
}

function sum(a: Counts, b: Counts): Counts {
  return {
    expected: a.expected + b.expected,
    received: a.received + b.received,
    reportedFirst: a.reportedFirst + b.reportedFirst,
    lags: sumOfLags([a.lags, b.lags]),
  };
}

function readRow({ expected, received, reported_first: reportedFirst, lags }: CallbackCountRow): Counts {
  return { expected, received, reportedFirst, lags: readLags(lags) };
}

function rowOf({ expected, received, reportedFirst, lags }: Counts) {
  return { expected, received, reported_first: reportedFirst, lags: textOfLags(lags) };
}

// How many notifications were refused, by rail: a wrong key or secret of ours looks like many forged notifications.

/** Adds the notifications that an API process has refused since its last report. */
export async function storeDenials(db: Database, refused: ReadonlyMap<string, number>): Promise<void> {
  const slot = slotOf(new Date());
  for (const [rail, n] of refused) {
    await db.raw(
      `INSERT INTO notification_denials (slot_at, rail, denied) VALUES (?, ?, ?)
       ON DUPLICATE KEY UPDATE denied = denied + VALUES(denied)`,
      [slot, rail, n],
    );
  }
}

/** @returns how many were refused since then, by rail; rails without any are left out. */
export async function denialsSince(db: Database, since: Date): Promise<Map<string, number>> {
  const rows: { rail: string; n: string | number }[] = await db('notification_denials')
    .where('slot_at', '>=', slotOf(since))
    .groupBy('rail')
    .orderBy('rail')
    .select('rail')
    .sum({ n: 'denied' });
  return new Map(rows.map(({ rail, n }) => [rail, Number(n)]));
}
