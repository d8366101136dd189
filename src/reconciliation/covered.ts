import type { Database } from '../store/database';
import { unjudgedLines } from './unjudged';

export type CoveredMs = [fromMs: number, toMs: number];

/** The times that statements are about which touch a period, as few and as long as they can be told. */
export async function coveredBy(
  db: Database,
  provider: string,
  period: { from: Date; to: Date },
): Promise<CoveredMs[]> {
  const statements = await touching(db, provider, period);
  return joined(statements.map(({ covers_from: from, covers_to: to }) => [from.getTime(), to.getTime()]));
}

const touching = (db: Database, provider: string, { from, to }: { from: Date; to: Date }) =>
  db('provider_statements')
    .where({ provider, withdrawn_no: 0 })
    .where('covers_to', '>', from)
    .where('covers_from', '<', to)
    .orderBy('covers_from');

/** @param sorted by their beginnings. */
function joined(sorted: CoveredMs[]): CoveredMs[] {
  const periods: CoveredMs[] = [];
  for (const [begins, ends] of sorted) {
    const last = periods.at(-1);
    if (last && begins <= last[1]) last[1] = Math.max(last[1], ends);
    else periods.push([begins, ends]);
  }
  return periods;
}

/**
 * Whether statements that were brought since a moment tell of a whole period, and all they say was compared with our
 * books. None tells of what came after it was brought, whatever day its period was said to end on.
 */
export async function isTold(
  db: Database,
  provider: string,
  period: { from: Date; to: Date },
  { since }: { since: Date },
): Promise<boolean> {
  const brought = await touching(db, provider, period).where('stored_at', '>=', since);
  const covered = joined(
    brought.map(({ covers_from: from, covers_to: to, stored_at: at }) => [
      from.getTime(),
      Math.min(to.getTime(), at.getTime()),
    ]),
  );
  if (!covered.some(([begins, ends]) => begins <= period.from.getTime() && period.to.getTime() <= ends))
    return false;
  // Asked after the statements, which commit with their lines: those of each that was counted are seen.
  return (await unjudgedLines(db, provider)).length === 0;
}
