import type { Database } from '../store/database';
import { dayShare } from './fee-doubts';
import { keepStatement, unjudgedLines, type KeptStatement, type StatementFile } from './keep-statement';
import { matchLines } from './match-lines';
import { noteMissingLines } from './missing-lines';
import { watchRules } from './rule-sums';
import { inChunks } from '../store/in-chunks';
import type { StatementFormat } from './statement';

/** The end is left out. */
export interface Period {
  from: Date;
  to: Date;
}

/**
 * Compares what a provider's statements say about a period with our books, and keeps the result of every line. Repeating
 * it changes nothing but what our books, or further statements, have changed. Money without an owner is booked as that
 * (suspense.ts), and so is what the provider kept (provider-fees.ts); no merchant's money moves.
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
  const days = await daysOf(db, period, ofFile);
  const others = [...(await openLines(db, format.provider)), ...(await dearLines(db, format.provider, days))];
  const lineIds = [...new Set([...ofPeriod, ...ofFile, ...others].map(String))].sort((a, b) =>
    BigInt(a) < BigInt(b) ? -1 : 1,
  );
  await matchLines(db, format, lineIds);
  await noteMissingLines(db, format, period);
  await watchRules(db, format, days);
}

/** Of the period, and of the lines of a file that are beyond it. */
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

/** Fees, and lines of which much was kept: whether they are a question, all that moved on their day says. */
async function dearLines(db: Database, provider: string, { from, to }: Period): Promise<string[]> {
  const [first, end] = [Math.floor(from.getTime() / dayMs), Math.ceil(to.getTime() / dayMs)];
  return db('statement_lines')
    .where({ provider, state: 'completed' })
    .where('occurred_at', '>=', new Date(first * dayMs))
    .where('occurred_at', '<', new Date(end * dayMs))
    .whereRaw(`(kind = 'fee' OR fee_minor * ${String(dayShare)} > ABS(amount_minor))`)
    .pluck('line_id');
}

/** Lines of whatever time that wait: their money has no owner, or a run that was killed has never judged them. */
async function openLines(db: Database, provider: string): Promise<string[]> {
  const orphans = await db('orphans').where({ provider, state: 'open' }).pluck('line_id');
  return [...orphans, ...(await unjudgedLines(db, provider))];
}
