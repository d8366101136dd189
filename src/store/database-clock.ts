import { aheadAtLeastMs } from '../domain/clock-offset';
import type { Database } from './database';

/** By how many milliseconds the database's clock is ahead of ours at least; below zero for behind. */
export async function databaseAheadMs(db: Database): Promise<number> {
  // Opening a connection is no part of the question.
  await db.raw('SELECT 1');
  const askedAtMs = Date.now();
  const [rows] = (await db.raw('SELECT UTC_TIMESTAMP(3) AS now')) as unknown as [{ now: Date }[]];
  const toldAtMs = rows[0]?.now.getTime() ?? NaN;
  return aheadAtLeastMs({ toldAtMs, stepMs: 1, askedAtMs, answeredAtMs: Date.now() });
}
