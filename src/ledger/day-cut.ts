/** Where one UTC day of the ledger ends and the next begins: between two postings, in the order in which they were posted. */
import type { Database, Transaction } from '../store/database';
import { dayAfter, startOf } from './utc-days';

/** Above every number that a posting may have. */
const beyond = '9223372036854775807';

/** Which entries, known as `e`, are young: in SQL, with its bindings. */
export interface Young {
  sql: string;
  bindings: (string | Date)[];
}

/**
 * The last posting after `after` and before the first one whose entry is young; `after` where there is none. A row and not
 * a number, for the numbers between the two may be those of rows that are written and not committed.
 * @returns with it the moment of the database's clock, which is that of `UTC_TIMESTAMP(3)` in what says who is young.
 */
export async function lastBefore(
  db: Database | Transaction,
  after: string,
  { sql, bindings }: Young,
): Promise<{ last: string; now: Date }> {
  // One statement, which sees one state of the table, and one moment. The bound is a table of one row and not a subquery of
  // the condition, where the server takes it for no bound and walks over all that came later.
  const [[row]] = (await db.raw(
    `SELECT UTC_TIMESTAMP(3) AS now,
       (SELECT p.seq FROM ledger_postings p WHERE p.seq > ? AND p.seq < bound.seq ORDER BY p.seq DESC LIMIT 1) AS last
     FROM (SELECT COALESCE((
       SELECT young.seq FROM ledger_postings young FORCE INDEX (PRIMARY)
       STRAIGHT_JOIN ledger_entries e ON e.entry_id = young.entry_id
       WHERE young.seq > ? AND ${sql}
       ORDER BY young.seq LIMIT 1), ${beyond}) AS seq) bound`,
    [after, after, ...bindings],
  )) as unknown as [[{ now: Date; last: string | number | null }]];
  return { last: String(row.last ?? after), now: row.now };
}

/**
 * The last posting after `after` and before the first one whose entry was made on `day` or later.
 * An entry that is dated to the future proves no day: one wrong clock would end all days there.
 * What crossed midnight on its way stands wholly before or wholly after the cut, and never in two days.
 * @returns with it the moment of the database's clock that the future began at.
 */
export function cutBefore(
  db: Database | Transaction,
  day: string,
  after: string,
): Promise<{ last: string; now: Date }> {
  return lastBefore(db, after, { sql: 'e.at >= ? AND e.at <= UTC_TIMESTAMP(3)', bindings: [startOf(day)] });
}

/** The last posting before a day: as it was sealed, which stands for ever, or as it looks now. */
export async function postingsBefore(
  db: Database | Transaction,
  day: string,
): Promise<{ last: string; isSealed: boolean }> {
  const link = await db('ledger_links').where('day', '<', day).orderBy('n', 'desc').first('day', 'last_seq');
  if (link && dayAfter(link.day) === day) return { last: link.last_seq, isSealed: true };
  // What was booked first is in the first link.
  if (!link && (await db('ledger_links').first('n'))) return { last: '0', isSealed: true };
  const after = link?.last_seq ?? '0';
  const isToCome = startOf(day) > new Date();
  const last = isToCome ? await lastPosting(db, after) : (await cutBefore(db, day, after)).last;
  return { last, isSealed: false };
}

async function lastPosting(db: Database | Transaction, after: string): Promise<string> {
  return (await db('ledger_postings').orderBy('seq', 'desc').first('seq'))?.seq ?? after;
}
