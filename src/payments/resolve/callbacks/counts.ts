/** How many callbacks were expected and came, and how late, in slots of ten minutes. */
import type { Database, Transaction } from '../../../store/database';
import type { CallbackCountRow, CallbackSource } from '../../../store/tables';
import { noLags, readLags, sumOfLags, textOfLags, withLag, type Lags } from './lags';
import type { Sample } from './samples';

const slotMs = 600_000;

export interface Counts {
  expected: number;
  come: number;
  /** Of those, how many told us before we asked. */
  toldFirst: number;
  lags: Lags;
}

export const noCounts: Counts = { expected: 0, come: 0, toldFirst: 0, lags: noLags };

export const keyOf = ({ rail, account, kind }: CallbackSource): string => `${rail} ${account} ${kind}`;
export const slotOf = (at: Date): Date => new Date(Math.floor(at.getTime() / slotMs) * slotMs);

/** Adds what was seen. The caller holds the lock that all who count share. */
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
    const before = await trx('callback_counts').where(where).first();
    const now = added(before ? readRow(before) : noCounts, alike, timeScale);
    await trx('callback_counts')
      .insert({ ...where, ...rowOf(now) })
      .onConflict(['slot_at', 'rail', 'account', 'kind'])
      .merge();
  }
}

/** The sandbox's delays are told as live would have them. */
function added(counts: Counts, samples: Sample[], timeScale: number): Counts {
  return samples.reduce(
    ({ expected, come, toldFirst, lags }, { lagMs }) => ({
      expected: expected + 1,
      come: come + (lagMs === undefined ? 0 : 1),
      toldFirst: toldFirst + (lagMs === 0 ? 1 : 0),
      lags: lagMs === undefined ? lags : withLag(lags, lagMs * timeScale),
    }),
    counts,
  );
}

/** @returns what has ended since then, to ten minutes, by `keyOf`. */
export async function countsSince(db: Database | Transaction, since: Date): Promise<Map<string, Counts>> {
  const rows = await db('callback_counts').where('slot_at', '>', new Date(since.getTime() - slotMs));
  const counts = new Map<string, Counts>();
  for (const row of rows) counts.set(keyOf(row), sum(counts.get(keyOf(row)) ?? noCounts, readRow(row)));
  return counts;
}

function sum(a: Counts, b: Counts): Counts {
  return {
    expected: a.expected + b.expected,
    come: a.come + b.come,
    toldFirst: a.toldFirst + b.toldFirst,
    lags: sumOfLags([a.lags, b.lags]),
  };
}

function readRow({ expected, come, told_first: toldFirst, lags }: CallbackCountRow): Counts {
  return { expected, come, toldFirst, lags: readLags(lags) };
}

function rowOf({ expected, come, toldFirst, lags }: Counts) {
  return { expected, come, told_first: toldFirst, lags: textOfLags(lags) };
}
