import type { Knex } from 'knex';

/** The results of a comparison, for a statement line or for a payment without a line. */
export const outcomes = {
  agreed: 'in both books, with the same amount',
  ours_only: 'settled in our books, but in no statement of that time',
  theirs_only: 'in the statement, but no settled payment of ours explains it',
  amount_differs: 'in both books, but with another amount or currency',
  fee: 'a fee of the provider',
  seen_before: 'the same line is in an earlier statement, or twice in this one',
  not_moved: 'failed or in progress at the provider: no money moved',
} as const;

export type Outcome = keyof typeof outcomes;

export const outcomeNames = Object.keys(outcomes) as Outcome[];

/** Differences that an operator must explain. They should be zero. */
export const unexplained: readonly Outcome[] = ['ours_only', 'theirs_only', 'amount_differs'];

/** The outcomes of a line that matches a payment, with a right or a wrong amount. */
export const matchedOutcomes: readonly Outcome[] = ['agreed', 'amount_differs'];

/** The outcome of a line whose statement was withdrawn: it counts nowhere, and is in no report. */
export const withdrawn = 'withdrawn';

/** Excludes the lines of withdrawn statements from a query about `statement_lines`. */
export function withoutWithdrawn<Query extends Knex.QueryBuilder>(
  query: Query,
  table = 'statement_lines',
): Query {
  void query.whereRaw(
    `NOT EXISTS (SELECT 1 FROM reconciliation_results gone WHERE gone.line_id = ${table}.line_id AND gone.outcome = ?)`,
    [withdrawn],
  );
  return query;
}
