/** Which payments and vouchers have news since the last proof: a list that the checks begin with, gone with the run. */
import type { Database, Transaction } from '../store/database';
import { rowsOf } from './check';
import type { Marks, Slice } from './scope';

/** Everything that tells of a payment or voucher, found by an index. */
export function traces({ changedSince, last }: Marks): string[] {
  const changed = (alias: string) => `${alias}.changed_at >= '${changedSince}'`;
  return [
    `SELECT p.payment_id AS id FROM payments p WHERE ${changed('p')}`,
    // What is true of a deposit and its refunds together is looked at from either.
    `SELECT p.parent_id FROM payments p WHERE ${changed('p')}`,
    `SELECT r.payment_id FROM payments p
     STRAIGHT_JOIN payments r FORCE INDEX (by_parent) ON r.parent_id = p.payment_id WHERE ${changed('p')}`,
    ...['attempts', 'holds', 'outbox', 'cases'].map(
      (table) => `SELECT t.payment_id FROM ${table} t WHERE ${changed('t')}`,
    ),
    `SELECT v.voucher_id FROM vouchers v WHERE ${changed('v')}`,
    `SELECT k.payment_id FROM idempotency_keys k WHERE k.created_at >= '${changedSince}'`,
    `SELECT l.payment_id FROM payment_log l WHERE l.log_id > ${last.payment_log}`,
    ...['payment_id', 'source_id'].flatMap((column) => [
      `SELECT e.${column} FROM ledger_entries e WHERE e.entry_id > ${last.ledger_entries}`,
      // Of entries of before: those since are listed.
      `SELECT e.${column} FROM ledger_postings l FORCE INDEX (PRIMARY) JOIN ledger_entries e ON e.entry_id = l.entry_id
       WHERE l.seq > ${last.ledger_postings} AND l.entry_id <= ${last.ledger_entries}`,
    ]),
  ];
}

/** Writes the list. Reads what is committed, and locks nothing of it. */
export async function listNews(db: Database | Transaction, runId: string, proved: Marks): Promise<number> {
  // Most are told of by several: sorted out on the way, each is written once.
  await db.raw(
    `INSERT IGNORE INTO proof_news (run_id, id)
     SELECT ?, found.id FROM (SELECT NULL AS id WHERE FALSE UNION ${traces(proved).join(' UNION ')}) found
     WHERE CHAR_LENGTH(found.id) = 36 ORDER BY found.id`,
    [runId],
  );
  const [row] = await rowsOf<{ n: string }>(db, 'SELECT COUNT(*) AS n FROM proof_news WHERE run_id = ?', [
    runId,
  ]);
  return Number(row?.n ?? 0);
}

/** What surrounds so many payments, at some 5 kB each, fits into the smallest of a server's memory beside all else. */
const sliceOf = 2_000;
/** Others are in the list, too, and are no end of a slice. */
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The list in parts of `size`, in the order of its ids, which is that of their time. */
export async function slicesOf(db: Database | Transaction, runId: string, size = sliceOf): Promise<Slice[]> {
  const ends = await rowsOf<{ id: string }>(
    db,
    `SELECT id FROM (
       SELECT id, ROW_NUMBER() OVER (ORDER BY id) AS n FROM proof_news WHERE run_id = ?
     ) listed WHERE MOD(n, ${String(size)}) = 0`,
    [runId],
  );
  const bounds = [undefined, ...ends.map(({ id }) => id).filter((id) => uuid.test(id)), undefined];
  return bounds.slice(1).map((upTo, n) => ({ after: bounds[n], upTo }));
}

/** A run that was killed, or could not take its list away, leaves it; whoever comes a day later takes it away. */
export async function forgetNews(db: Database, runId: string): Promise<void> {
  try {
    await db('proof_news').where({ run_id: runId }).delete();
    await db('proof_news').whereRaw('noted_at < UTC_TIMESTAMP(3) - INTERVAL 1 DAY').delete();
  } catch {
    // What was found counts, and not the list.
  }
}
