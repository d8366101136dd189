import type { Currency } from '../domain/money';
import type { Database } from '../store/database';
import { unexplained } from './outcomes';

export interface UnexplainedSum {
  provider: string;
  /** In UTC. */
  day: string;
  currency: Currency;
  count: number;
  /** Of what the provider says; of what only we have, what we say. */
  amountMinor: bigint;
}

/** Money that a statement and our books see differently, and that no person has explained yet: the figure to watch is zero. */
export async function sumUnexplained(db: Database): Promise<UnexplainedSum[]> {
  const rows = (await db('reconciliation_results as r')
    .leftJoin('orphans as o', 'o.line_id', 'r.line_id')
    .whereIn('r.outcome', unexplained)
    // What was decided explains money without an owner; that an amount differs it does not.
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
