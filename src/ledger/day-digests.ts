/** Writes the digest of each past day of the ledger, one after the other. */
import type { Database, Transaction } from '../store/database';
import type { LedgerLinkRow } from '../store/ledger-tables';
import { duplicateKeyOf } from '../store/transaction';
import { headOf, lastLink, noHead } from './chain';
import { cutBefore } from './day-cut';
import { dayAfter, startOf, utcDay } from './utc-days';

/**
 * How long after its end a day gets its digest. All its bookings are committed by then: none of our transactions is
 * open for an hour (verify/verified-state.ts), and a transaction that was posted late may have had another one beside it.
 */
const digestMarginMs = 2 * 3_600_000;

/**
 * Writes the due digests. Several processes may try at once: they compute the same, and the first row wins.
 * @returns the links that this call wrote.
 */
export async function writeDayDigests(
  db: Database | Transaction,
  mayGoOn: () => boolean = () => true,
): Promise<LedgerLinkRow[]> {
  const dueBefore = await dueBeforeOf(db);
  const written: LedgerLinkRow[] = [];
  while (mayGoOn()) {
    const before = await lastLink(db);
    const day = before ? dayAfter(before.day) : await firstDay(db);
    if (day === undefined || startOf(dayAfter(day)) > dueBefore) break;
    const link = await linkOf(db, day, before);
    if (await isWritten(db, link)) written.push(link);
  }
  return written;
}

/** The days that `sealDays` would process now, oldest first. */
export async function daysDue(db: Database): Promise<string[]> {
  const dueBefore = await dueBeforeOf(db);
  const before = await lastLink(db);
  const due: string[] = [];
  let day = before ? dayAfter(before.day) : await firstDay(db);
  for (; day !== undefined && startOf(dayAfter(day)) <= dueBefore; day = dayAfter(day)) due.push(day);
  return due;
}

/** A day that has ended before this moment is due. */
async function dueBeforeOf(db: Database | Transaction): Promise<Date> {
  return new Date((await clockOf(db)).getTime() - digestMarginMs);
}

export async function clockOf(db: Database | Transaction): Promise<Date> {
  const [[row]] = (await db.raw('SELECT UTC_TIMESTAMP(3) AS now')) as unknown as [[{ now: Date }]];
  return row.now;
}

/** The day of the first posting; undefined while there is none. */
export async function firstDay(db: Database | Transaction): Promise<string | undefined> {
  // One after the other: in one query, the server would read the whole ledger to sort it.
  const posting = await db('ledger_postings').orderBy('seq').first('entry_id');
  const first =
    posting && (await db('ledger_entries').where({ entry_id: posting.entry_id }).first<{ at: Date }>('at'));
  return first && utcDay(first.at);
}

async function linkOf(
  db: Database | Transaction,
  day: string,
  before: LedgerLinkRow | undefined,
): Promise<LedgerLinkRow> {
  const after = before?.last_seq ?? '0';
  // The check uses the digest's time to decide which dates were in the future at the cut.
  const { last, now } = await cutBefore(db, dayAfter(day), after);
  const span = {
    n: String(BigInt(before?.n ?? 0) + 1n),
    day,
    after_seq: after,
    last_seq: last,
    previous: before?.head ?? noHead,
  };
  return { ...span, ...(await headOf(db, span)), digested_at: now };
}

/** @returns false when another process has written the day's digest in the meantime. */
async function isWritten(db: Database | Transaction, link: LedgerLinkRow): Promise<boolean> {
  try {
    await db('day_digests').insert(link);
    return true;
  } catch (error) {
    if (duplicateKeyOf(error) === undefined) throw error;
    return false;
  }
}
