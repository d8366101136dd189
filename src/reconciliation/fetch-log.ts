/** Records the fetching of statements, one row per rail, for `malipo doctor` and the metrics. */
import { cutText } from '../domain/cut-text';
import type { Currency } from '../domain/money';
import type { Database } from '../store/database';
import type { StatementFetchRow } from '../store/tables';
import { unexplained } from './outcomes';

const failureLengthMax = 350;

export async function noteFetched(db: Database, rail: string, coversTo: Date): Promise<void> {
  const now = new Date();
  await db('statement_fetches')
    .insert({ rail, tried_at: now, succeeded_at: now, covers_to: coversTo, failures: 0, failure: null })
    .onConflict('rail')
    .merge();
}

/** @param failure must contain no secret and no data of a customer. */
export async function noteNotFetched(db: Database, rail: string, failure: string): Promise<void> {
  const text = cutText(failure, failureLengthMax);
  await db('statement_fetches')
    .insert({ rail, tried_at: new Date(), failures: 1, failure: text })
    .onConflict('rail')
    .merge({ tried_at: new Date(), failures: db.raw('statement_fetches.failures + 1'), failure: text });
}

export function findFetches(db: Database): Promise<StatementFetchRow[]> {
  return db('statement_fetches').orderBy('rail');
}

interface UnexplainedSum {
  provider: string;
  /** In UTC. */
  day: string;
  currency: Currency;
  count: number;
  /** The provider's amount, or ours for a payment that no statement has. */
  amountMinor: bigint;
}

/** Differences between statements and our books that no operator has explained. They should be zero. */
export async function sumUnexplained(db: Database): Promise<UnexplainedSum[]> {
  const rows = (await db('reconciliation_results as r')
    .leftJoin('unmatched_receipts as o', 'o.line_id', 'r.line_id')
    .whereIn('r.outcome', unexplained)
    // An operator's decision explains an unmatched receipt, but not a different amount.
    .where(
      (left) =>
        void left.whereNull('o.state').orWhere('o.state', 'open').orWhereNot('r.outcome', 'theirs_only'),
    )
    .groupByRaw('r.provider, DATE(r.occurred_at), r.currency')
    .orderByRaw('1, 2, 3')
    .select(
      'r.provider',
      db.raw(`DATE_FORMAT(DATE(r.occurred_at), '%Y-%m-%d') AS day`),
      'r.currency',
      db.raw('COUNT(*) AS count'),
      db.raw('CAST(SUM(ABS(r.amount_minor)) AS CHAR) AS minor'),
    )) as unknown as { provider: string; day: string; currency: Currency; count: string; minor: string }[];
  return rows.map(({ provider, day, currency, count, minor }) => ({
    provider,
    day,
    currency,
    count: Number(count),
    amountMinor: BigInt(minor),
  }));
}
