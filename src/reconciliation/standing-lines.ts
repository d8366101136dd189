import type { Knex } from 'knex';
import { withdrawn } from './outcomes';

/** Leaves the lines of withdrawn statements out of a question about `statement_lines`. */
export function onlyStanding<Query extends Knex.QueryBuilder>(
  query: Query,
  table = 'statement_lines',
): Query {
  void query.whereRaw(
    `NOT EXISTS (SELECT 1 FROM reconciliation_results gone WHERE gone.line_id = ${table}.line_id AND gone.outcome = ?)`,
    [withdrawn],
  );
  return query;
}
