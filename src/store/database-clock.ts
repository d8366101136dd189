import { aheadAtLeastMs } from '../domain/clock-offset';
import type { Database } from './database';

/** Measures how many milliseconds the database's clock is ahead of ours, at least; negative if it is behind. */
export async function databaseAheadMs(db: Database): Promise<number> {
  // So that the measured time does not include opening a connection.
  await db.raw('SELECT 1');
  const askedAtMs = Date.now();
  const [rows] = (await db.raw('SELECT UTC_TIMESTAMP(3) AS now')) as unknown as [{ now: Date }[]];
  const reportedAtMs = rows[0]?.now.getTime() ?? NaN;
  return aheadAtLeastMs({ reportedAtMs, stepMs: 1, askedAtMs, answeredAtMs: Date.now() });
}
