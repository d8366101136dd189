/** Where one UTC day of the ledger ends and the next begins: between two postings, in the order in which they were posted. */
import type { Database, Transaction } from '../store/database';
import { dayAfter, startOf, utcDay } from './utc-days';

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

export interface Cut {
  /** The last posting before it, or 0. */
  last: string;
  /** It stands for ever: asked for again, it is the same. */
  isSealed: boolean;
}

/** The last posting before a moment, such as the midnight of a zone: as UTC days were sealed, or as it looks now. */
export async function postingsBefore(db: Database | Transaction, moment: Date): Promise<Cut> {
  const day = utcDay(moment);
  if (startOf(day).getTime() === moment.getTime()) return postingsBeforeDay(db, day);
  const link = await db('ledger_links').where({ day }).first('after_seq', 'last_seq', 'sealed_at');
  if (link) {
    // Of the future is what was so when the day was sealed, so that the cut is always the same.
    const { after_seq: after, last_seq: last, sealed_at: until } = link;
    return { last: await cutWithin(db, moment, { after, last, until }), isSealed: true };
  }
  const before = await postingsBeforeDay(db, day);
  if (before.isSealed && (await db('ledger_links').where('day', '>', day).first('n'))) return before;
  const last = await lastPosting(db, before.last);
  const now = new Date();
  if (moment > now) return { last, isSealed: false };
  return { last: await cutWithin(db, moment, { after: before.last, last, until: now }), isSealed: false };
}

/** Some postings, in their order; what is dated after `until` is of the future. */
interface Span {
  after: string;
  last: string;
  until: Date;
}

/** By so much may what is booked at once be dated otherwise: clocks differ by seconds, and who books may have waited. */
const disorderMs = 5 * 60_000;
/** As few that they are read rather than halved. */
const fewPostings = 256n;

/**
 * The last posting of the span before the first one whose entry was made at the moment or later. Where to look is found by
 * halving the span, since postings are dated nearly in their order.
 */
async function cutWithin(
  db: Database | Transaction,
  moment: Date,
  { after, last, until }: Span,
): Promise<string> {
  const early = new Date(moment.getTime() - disorderMs);
  let [low, high] = [BigInt(after), BigInt(last)];
  while (high - low > fewPostings) {
    const middle = (low + high) / 2n;
    const at = await datedNext(db, middle);
    if (at !== undefined && at < early) low = middle;
    else high = middle;
  }
  const [[row]] = (await db.raw(
    `SELECT (SELECT p.seq FROM ledger_postings p
             WHERE p.seq > ? AND p.seq <= ? AND p.seq < bound.seq ORDER BY p.seq DESC LIMIT 1) AS last
     FROM (SELECT COALESCE((
       SELECT young.seq FROM ledger_postings young FORCE INDEX (PRIMARY)
       STRAIGHT_JOIN ledger_entries e ON e.entry_id = young.entry_id
       WHERE young.seq > ? AND young.seq <= ? AND e.at >= ? AND e.at <= ?
       ORDER BY young.seq LIMIT 1), ${beyond}) AS seq) bound`,
    [after, last, String(low), last, moment, until],
  )) as unknown as [[{ last: string | number | null }]];
  return String(row.last ?? after);
}

/** When the entry of the first posting after a number was made. */
async function datedNext(db: Database | Transaction, seq: bigint): Promise<Date | undefined> {
  const next = await db('ledger_postings').where('seq', '>', String(seq)).orderBy('seq').first('entry_id');
  return next && (await db('ledger_entries').where({ entry_id: next.entry_id }).first<{ at: Date }>('at')).at;
}

/** The last posting before a UTC day: as it was sealed, which stands for ever, or as it looks now. */
async function postingsBeforeDay(db: Database | Transaction, day: string): Promise<Cut> {
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
