import type { Database } from '../store/database';
import { keepStatement, type KeptStatement, type StatementFile } from './keep-statement';
import { matchLines } from './match-lines';
import { noteMissingLines } from './missing-lines';
import type { StatementFormat } from './statement';

/** The end is left out. */
export interface Period {
  from: Date;
  to: Date;
}

/**
 * Compares what a provider's statements say about a period with our books, and keeps the result of every line. Repeating
 * it changes nothing but what our books, or further statements, have changed. No money moves.
 * @throws StatementError when the file cannot be read as a whole; nothing of it is kept.
 */
export async function reconcile(
  db: Database,
  format: StatementFormat,
  period: Period,
  file?: Omit<StatementFile, keyof Period>,
): Promise<KeptStatement | undefined> {
  const kept = file && (await keepStatement(db, format, { ...file, ...period }));
  await compare(db, format, period, kept?.statementId);
  return kept;
}

/**
 * Compares what was kept of a period with our books, together with all of a statement that was just brought.
 * Repeating it changes nothing but what our books, or further statements, have changed.
 */
export async function compare(
  db: Database,
  format: StatementFormat,
  period: Period,
  statementId?: string,
): Promise<void> {
  const ofPeriod = await db('statement_lines')
    .where({ provider: format.provider })
    .where('occurred_at', '>=', period.from)
    .where('occurred_at', '<', period.to)
    .pluck('line_id');
  const ofFile =
    statementId === undefined
      ? []
      : await db('statement_lines').where({ statement_id: statementId }).pluck('line_id');
  const lineIds = [...new Set([...ofPeriod, ...ofFile].map(String))].sort((a, b) =>
    BigInt(a) < BigInt(b) ? -1 : 1,
  );
  await matchLines(db, format, lineIds);
  await noteMissingLines(db, format, period);
}
