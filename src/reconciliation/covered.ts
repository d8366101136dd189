import type { Database } from '../store/database';

export type CoveredMs = [fromMs: number, toMs: number];

/** The times that statements are about which touch a period, as few and as long as they can be told. */
export async function coveredBy(
  db: Database,
  provider: string,
  { from, to }: { from: Date; to: Date },
): Promise<CoveredMs[]> {
  const statements = await db('provider_statements')
    .where({ provider })
    .where('covers_to', '>', from)
    .where('covers_from', '<', to)
    .orderBy('covers_from');
  const periods: CoveredMs[] = [];
  for (const { covers_from: begins, covers_to: ends } of statements) {
    const last = periods.at(-1);
    if (last && begins.getTime() <= last[1]) last[1] = Math.max(last[1], ends.getTime());
    else periods.push([begins.getTime(), ends.getTime()]);
  }
  return periods;
}

/** Whether statements tell of a whole period. */
export async function isCovered(
  db: Database,
  provider: string,
  period: { from: Date; to: Date },
): Promise<boolean> {
  const covered = await coveredBy(db, provider, period);
  return covered.some(([begins, ends]) => begins <= period.from.getTime() && period.to.getTime() <= ends);
}
