/** The border between two UTC days of the ledger: a point between two postings, in their posting order. */
import type { Database, Transaction } from '../store/database';
import { dayAfter, startOf, utcDay } from './utc-days';

/** Above every possible number of a posting. */
const beyond = '9223372036854775807';

/** The condition for young entries, with the alias `e`: in SQL, with its bindings. */
export interface Young {
  sql: string;
  bindings: (string | Date)[];
}

/**
 * The last posting after `after` and before the first one whose entry is young; `after` where there is none. It is an
 * existing row and not a computed number, because the numbers in between may belong to uncommitted rows.
 * @returns also the database's time, which is `UTC_TIMESTAMP(3)` in the condition.
 */
export async function lastBefore(
  db: Database | Transaction,
  after: string,
  { sql, bindings }: Young,
): Promise<{ last: string; now: Date }> {
  // One statement, which sees one state of the table, and one moment. The bound is a one-row table, because the
  // server does not use a subquery in the condition as a bound and would read all later rows.
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
 * The last posting after `after` and before the first one whose entry was made on `day` or later. An entry with a
 * future date does not start a day: otherwise one wrong clock would end every day there. All postings of an entry are
 * on the same side of the cut, even around midnight.
 * @returns also the database's time, after which a date counts as future.
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
  /** The cut is final: a later call gives the same. */
  isDigested: boolean;
}

/**
 * The last posting before a moment, such as the midnight of a zone: by the day digest where there is one, else
 * provisional.
 */
export async function postingsBefore(db: Database | Transaction, moment: Date): Promise<Cut> {
  const day = utcDay(moment);
  if (startOf(day).getTime() === moment.getTime()) return postingsBeforeDay(db, day);
  const link = await db('day_digests').where({ day }).first('after_seq', 'last_seq', 'digested_at');
  if (link) {
    // The future is judged by the time of the day digest, so that the cut is always the same.
    const { after_seq: after, last_seq: last, digested_at: until } = link;
    return { last: await cutWithin(db, moment, { after, last, until }), isDigested: true };
  }
  const before = await postingsBeforeDay(db, day);
  if (before.isDigested && (await db('day_digests').where('day', '>', day).first('n'))) return before;
  const last = await lastPosting(db, before.last);
  const now = new Date();
  if (moment > now) return { last, isDigested: false };
  return { last: await cutWithin(db, moment, { after: before.last, last, until: now }), isDigested: false };
}

/** Some postings, in their order; a date after `until` counts as future. */
interface Span {
  after: string;
  last: string;
  until: Date;
}

/**
 * How much the dates of concurrent postings may differ from their order: clocks differ by seconds, and a transaction
 * may have waited.
 */
const disorderMs = 5 * 60_000;
/** A span this short is read instead of halved. */
const fewPostings = 256n;

/**
 * The last posting of the span before the first one whose entry was made at the moment or later. A binary search
 * finds the place, because postings are almost in date order.
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

/** The time of the entry of the first posting after a number. */
async function datedNext(db: Database | Transaction, seq: bigint): Promise<Date | undefined> {
  const next = await db('ledger_postings').where('seq', '>', String(seq)).orderBy('seq').first('entry_id');
  return next && (await db('ledger_entries').where({ entry_id: next.entry_id }).first<{ at: Date }>('at')).at;
}

/** The last posting before a UTC day: final by its day digest, or provisional. */
async function postingsBeforeDay(db: Database | Transaction, day: string): Promise<Cut> {
  const link = await db('day_digests').where('day', '<', day).orderBy('n', 'desc').first('day', 'last_seq');
  if (link && dayAfter(link.day) === day) return { last: link.last_seq, isDigested: true };
  // The first link contains the first bookings.
  if (!link && (await db('day_digests').first('n'))) return { last: '0', isDigested: true };
  const after = link?.last_seq ?? '0';
  const isToCome = startOf(day) > new Date();
  const last = isToCome ? await lastPosting(db, after) : (await cutBefore(db, day, after)).last;
  return { last, isDigested: false };
}

async function lastPosting(db: Database | Transaction, after: string): Promise<string> {
  return (await db('ledger_postings').orderBy('seq', 'desc').first('seq'))?.seq ?? after;
}
