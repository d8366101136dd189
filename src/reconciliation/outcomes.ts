import type { Knex } from 'knex';

/** What a line of a statement, or a payment that no line tells of, turned out to be. */
export const outcomes = {
  agreed: 'in both books, with the same amount',
  ours_only: 'settled in our books, and in no statement of that time',
  theirs_only: 'money of the provider that no settled payment of ours explains',
  amount_differs: 'in both books, with another amount or currency',
  fee: 'what the provider took for itself',
  seen_before: 'the same line stood in a statement before, or twice in this one',
  not_moved: 'failed or still under way at the provider, where no money moved',
} as const;

export type Outcome = keyof typeof outcomes;

export const outcomeNames = Object.keys(outcomes) as Outcome[];

/** Money that a person has to explain: the figure to watch is zero. */
export const unexplained: readonly Outcome[] = ['ours_only', 'theirs_only', 'amount_differs'];

/** A line that tells of a payment, whether or not its amount is right. */
export const matchedOutcomes: readonly Outcome[] = ['agreed', 'amount_differs'];

/** Of a line whose statement was withdrawn: it counts nowhere, and is in no report. */
export const withdrawn = 'withdrawn';

/** Leaves the lines of withdrawn statements out of a question about `statement_lines`. */
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
