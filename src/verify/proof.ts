/** What a clean run leaves for the next one, which then looks at what is new alone. */
import { createHash } from 'node:crypto';
import type { Database, Transaction } from '../store/database';
import { inChunks } from '../store/in-chunks';
import type { ProofRow, ProofSumRow } from '../store/tables';
import { inTransaction } from '../store/transaction';
import { withoutQuotes } from '../telemetry/redact';
import {
  quoted,
  rowsOf,
  textOfFinder,
  everything,
  newsOf,
  type Check,
  type Marks,
  type Slice,
} from './check';
import { digests, type Sum } from './sums';

export interface Proof {
  runId: string;
  marks: Marks;
  provedAt: Date;
  /** When everything was checked. */
  fullAt: Date;
}

/** Of a row that proves nothing: it only tells apart the runs that found something. */
const nothing = Buffer.alloc(32);

/** One more whenever a proof means another thing and no statement tells: what is code may call other code. */
const rules = 6;

/** Were one of them another table, what is noted of it would be, too. */
const tables = [
  ...['ledger_accounts', 'ledger_entries', 'ledger_postings', 'ledger_links', 'payment_log'],
  ...['inbox', 'idempotency_keys'],
  ...['payments', 'attempts', 'holds', 'outbox', 'cases', 'vouchers'],
];

/**
 * What a proof is a proof of: this database, which is another one once it was restored or moved, and these checks.
 */
export async function fingerprintOf(db: Database, checks: readonly Check[]): Promise<Buffer> {
  const place = await rowsOf<Record<string, unknown>>(
    db,
    `SELECT DATABASE() AS place, TABLE_NAME AS made, CREATE_TIME AS at FROM information_schema.TABLES
     WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME IN (${quoted(tables)})
     ORDER BY TABLE_NAME`,
  );
  // The two servers name it differently.
  const server = await rowsOf<Record<string, unknown>>(
    db,
    "SHOW VARIABLES WHERE Variable_name IN ('server_uuid', 'server_uid')",
  );
  const scopes = [everything, newsOf('', noMarks)];
  const asked = checks.map(({ id, promise, find }) => [
    id,
    promise,
    ...scopes.map((scope) => textOfFinder(find, scope)),
  ]);
  return createHash('sha256')
    .update(JSON.stringify([place, server, asked, traces(noMarks), digests, rules]))
    .digest();
}

/** The run that wrote last, whatever it found. */
export async function lastRun(db: Database | Transaction): Promise<string | undefined> {
  return (await db('proofs').where({ id: 1 }).first('run_id'))?.run_id;
}

/** @returns what stands, or why nothing does. */
export async function findProof(db: Database, fingerprint: Buffer, now: Date): Promise<Proof | string> {
  const row = await db('proofs').where({ id: 1 }).first();
  if (!row) return 'nothing was proved before';
  if (row.fingerprint.equals(nothing)) return 'the last run that checked everything found violations';
  if (!row.fingerprint.equals(fingerprint))
    return 'the database was restored, moved or migrated, or is checked by other rules, since it was proved';
  if (row.proved_at > now) return 'the clock of the database was set back since it was proved';
  return {
    runId: row.run_id,
    provedAt: row.proved_at,
    fullAt: row.full_at,
    marks: {
      changedSince: literal(row.changed_since),
      last: {
        ledger_entries: row.entry_id,
        ledger_postings: row.seq,
        payment_log: row.log_id,
        inbox: row.inbox_id,
      },
    },
  };
}

export function sumsIn(trx: Transaction): Promise<Sum[]> {
  return rowsOf<Sum>(trx, 'SELECT account_id, currency, postings, total, digest FROM proof_sums');
}

/**
 * Puts this proof in the place of the last one.
 * @param after the run that had written last when this one began.
 * @returns why it could not.
 */
export async function keepProof(
  db: Database,
  { runId, marks, provedAt, fullAt }: Proof,
  kept: { fingerprint: Buffer; sums: readonly Sum[]; after: string | undefined },
): Promise<string | undefined> {
  const { last } = marks;
  const row: ProofRow = {
    id: 1,
    run_id: runId,
    fingerprint: kept.fingerprint,
    changed_since: momentIn(marks.changedSince),
    entry_id: last.ledger_entries,
    seq: last.ledger_postings,
    log_id: last.payment_log,
    inbox_id: last.inbox,
    proved_at: provedAt,
    full_at: fullAt,
  };
  try {
    return (await replace(db, kept, row))
      ? undefined
      : 'another run has ended meanwhile, and its word stands';
  } catch (error) {
    return reasonOf(error);
  }
}

/**
 * A look at everything found something: nothing stands until one finds nothing.
 * @returns why the proof of before stands all the same.
 */
export async function dropProof(db: Database, runId: string, at: Date): Promise<string | undefined> {
  const none = { entry_id: '0', seq: '0', log_id: '0', inbox_id: '0' };
  const row = { id: 1, run_id: runId, fingerprint: nothing, changed_since: at, proved_at: at, full_at: at };
  try {
    await replace(db, { sums: [] }, { ...row, ...none });
    return undefined;
  } catch (error) {
    return (await mayStand(db)) ? reasonOf(error) : undefined;
  }
}

async function mayStand(db: Database): Promise<boolean> {
  try {
    const row = await db('proofs').where({ id: 1 }).first('fingerprint');
    return row !== undefined && !row.fingerprint.equals(nothing);
  } catch {
    return true;
  }
}

/** Why nothing could be written: the database may be read-only, or the account may only read. What was found is told. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? withoutQuotes(error) : String(error);
}

/** @returns false when another run has written since: its word stands. */
function replace(
  db: Database,
  kept: { sums: readonly Sum[]; after?: string | undefined },
  row: ProofRow,
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const before = await trx('proofs').where({ id: 1 }).forUpdate().first('run_id');
    if ('after' in kept && before?.run_id !== kept.after) return false;
    await trx('proofs').insert(row).onConflict().merge();
    await trx('proof_sums').delete();
    for (const some of inChunks(kept.sums)) await trx('proof_sums').insert(some as ProofSumRow[]);
    return true;
  });
}

// Which payments and vouchers have news since the last proof: a list that the checks begin with, gone with the run.

/** Everything that tells of a payment or voucher, found by an index. */
function traces({ changedSince, last }: Marks): string[] {
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

// Up to where a run has seen everything.

/**
 * A transaction shows its rows when it commits, with numbers and moments of when it wrote them. Nothing of ours is open
 * for as long as this; what was written later is looked at again by the next run.
 */
const openAtMostMs = 3_600_000;

/** The database's clock, and since when the run that begins now may not have seen every change. */
export async function momentOf(db: Database | Transaction): Promise<{ now: Date; changedSince: Date }> {
  const [row] = await rowsOf<{ now: Date }>(db, 'SELECT UTC_TIMESTAMP(3) AS now');
  const now = row?.now ?? new Date();
  return { now, changedSince: new Date(now.getTime() - openAtMostMs) };
}

/** As the database reads it. */
export const literal = (moment: Date): string => moment.toISOString().replace('T', ' ').replace('Z', '');

/** The moment that a literal means. */
export const momentIn = (text: string): Date => new Date(`${text.replace(' ', 'T')}Z`);

/** Nothing is proved. A TIMESTAMP has no midnight of the first day. */
export const noMarks: Marks = {
  changedSince: '1970-01-02 00:00:00.000',
  last: { ledger_entries: '0', ledger_postings: '0', payment_log: '0', inbox: '0' },
};

/**
 * The last row of each table before the first that is as young as `changedSince`: a row and not a number, for the
 * numbers between the two may be those of rows that are written and not committed. Looks at what came after `before`.
 */
export async function marksAt(trx: Transaction, before: Marks, changedSince: Date): Promise<Marks> {
  const since = literal(changedSince);
  const { last } = before;
  const idIn = async (statement: string): Promise<string | undefined> => {
    const [row] = await rowsOf<{ id: string | number }>(trx, `${statement} LIMIT 1`);
    return row && String(row.id);
  };
  const upTo = async (table: string, id: string, after: string, isYoung: string): Promise<string> => {
    const rest = `SELECT ${id} AS id FROM ${table} WHERE ${id} > ${after}`;
    const young = await idIn(`${rest} AND ${isYoung} ORDER BY ${id}`);
    const old = young === undefined ? '' : `AND ${id} < ${young}`;
    return (await idIn(`${rest} ${old} ORDER BY ${id} DESC`)) ?? after;
  };
  const entries = await upTo('ledger_entries', 'entry_id', last.ledger_entries, `at >= '${since}'`);
  return {
    changedSince: since,
    last: {
      ledger_entries: entries,
      ledger_postings: await upTo('ledger_postings', 'seq', last.ledger_postings, `entry_id > ${entries}`),
      payment_log: await upTo('payment_log', 'log_id', last.payment_log, `at >= '${since}'`),
      inbox: await upTo('inbox', 'inbox_id', last.inbox, `received_at >= '${since}'`),
    },
  };
}
