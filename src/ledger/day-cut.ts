/** Where one UTC day of the ledger ends and the next begins: between two postings, in the order in which they were posted. */
import type { Database, Transaction } from '../store/database';
import { startOf } from './utc-days';

/** Above every number that a posting may have. */
const beyond = '9223372036854775807';

/**
 * The last posting after `after` and before the first one whose entry was made on `day` or later; `after` where there is
 * none. A row and not a number, for the numbers between the two may be those of rows that are written and not committed.
 * What crossed midnight on its way stands wholly before or wholly after the cut, and never in two days.
 */
export async function lastPostingBefore(
  db: Database | Transaction,
  day: string,
  after: string,
): Promise<string> {
  // One statement, which sees one state of the table.
  const [rows] = (await db.raw(
    `SELECT seq FROM ledger_postings
     WHERE seq > ? AND seq < COALESCE((
       SELECT young.seq FROM ledger_postings young FORCE INDEX (PRIMARY)
       STRAIGHT_JOIN ledger_entries e ON e.entry_id = young.entry_id
       WHERE young.seq > ? AND e.at >= ?
       ORDER BY young.seq LIMIT 1), ${beyond})
     ORDER BY seq DESC LIMIT 1`,
    [after, after, startOf(day)],
  )) as unknown as [{ seq: string | number }[]];
  return String(rows[0]?.seq ?? after);
}
