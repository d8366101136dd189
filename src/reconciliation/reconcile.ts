import type { Database } from '../store/database';
import { dayShare } from './fee-review';
import { keepStatement, unjudgedLines, type KeptStatement, type StatementFile } from './keep-statement';
import { matchLines } from './match-lines';
import { noteMissingLines } from './missing-lines';
import { watchRules } from './rule-sums';
import { inChunks } from '../store/in-chunks';
import type { StatementFormat } from './statement';

/** `to` is not included. */
export interface Period {
  from: Date;
  to: Date;
}

/**
 * Stores a statement file, if there is one, and compares the provider's statements of a period with our books. It stores the
 * result of every line. Unmatched receipts are booked in suspense (suspense.ts), and fees of the provider (provider-fees.ts);
 * no merchant's money moves. Repeating it changes only what has changed in our books or in the statements.
 * @throws StatementError if a line of the file is unreadable; then nothing is stored.
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
 * Compares the stored lines of a period with our books, and also all lines of a new statement. Repeating it changes only what
 * has changed in our books or in the statements.
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
  const days = await daysOf(db, period, ofFile);
  const others = [...(await openLines(db, format.provider)), ...(await dearLines(db, format.provider, days))];
  const lineIds = [...new Set([...ofPeriod, ...ofFile, ...others].map(String))].sort((a, b) =>
    BigInt(a) < BigInt(b) ? -1 : 1,
  );
  await matchLines(db, format, lineIds);
  await noteMissingLines(db, format, period);
  await watchRules(db, format, days);
}

/** The period, extended by the lines of the file that are outside it. */
async function daysOf(db: Database, { from, to }: Period, ofFile: readonly string[]): Promise<Period> {
  const moments: number[] = [];
  for (const some of inChunks(ofFile)) {
    const [of] = await db('statement_lines')
      .whereIn('line_id', some)
      .select<{ first: Date | null; last: Date | null }[]>(
        db.raw('MIN(occurred_at) AS first'),
        db.raw('MAX(occurred_at) AS last'),
      );
    if (of?.first && of.last) moments.push(of.first.getTime(), of.last.getTime() + 1);
  }
  return {
    from: new Date(moments.reduce((one, other) => Math.min(one, other), from.getTime())),
    to: new Date(moments.reduce((one, other) => Math.max(one, other), to.getTime())),
  };
}

const dayMs = 86_400_000;

/** Fees, and lines with a large fee: the amounts of their day decide whether they need a review. */
async function dearLines(db: Database, provider: string, { from, to }: Period): Promise<string[]> {
  const [first, end] = [Math.floor(from.getTime() / dayMs), Math.ceil(to.getTime() / dayMs)];
  return db('statement_lines')
    .where({ provider, state: 'completed' })
    .where('occurred_at', '>=', new Date(first * dayMs))
    .where('occurred_at', '<', new Date(end * dayMs))
    .whereRaw(`(kind = 'fee' OR fee_minor * ${String(dayShare)} > ABS(amount_minor))`)
    .pluck('line_id');
}

/** Lines of any time that are open: unmatched receipts, and lines that a killed run did not compare. */
async function openLines(db: Database, provider: string): Promise<string[]> {
  const unmatchedReceipts = await db('unmatched_receipts')
    .where({ provider, state: 'open' })
    .pluck('line_id');
  return [...unmatchedReceipts, ...(await unjudgedLines(db, provider))];
}
