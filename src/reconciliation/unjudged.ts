import type { Database } from '../store/database';

/** A run that was killed is taken up by one of the days after it. */
const takenUpWithinMs = 40 * 86_400_000;

/** Ids of lines that a run has kept and not compared with our books yet, or never will, because it was killed. */
export async function unjudgedLines(db: Database, provider: string): Promise<string[]> {
  const ids = await db('provider_statements as s')
    .join('statement_lines as l', 'l.statement_id', 's.statement_id')
    .leftJoin('reconciliation_results as r', 'r.line_id', 'l.line_id')
    .where('s.provider', provider)
    .where('s.stored_at', '>=', new Date(Date.now() - takenUpWithinMs))
    .whereNull('r.line_id')
    .pluck('l.line_id');
  return ids as string[];
}
