/** Stores the state of a clean run, so that the next run with --changes only checks the changes since. */
import { createHash } from 'node:crypto';
import type { Database, Transaction } from '../store/database';
import { inChunks } from '../store/in-chunks';
import type { VerifiedStateRow, VerifySumRow } from '../store/tables';
import { inTransaction } from '../store/transaction';
import { withoutQuotes } from '../telemetry/redact';
import {
  quoted,
  rowsOf,
  textOfFinder,
  everything,
  changesOf,
  type Check,
  type Marks,
  type Slice,
} from './check';
import { digests, type Sum } from './sums';

export interface VerifiedState {
  runId: string;
  marks: Marks;
  provedAt: Date;
  /** The time of the last run that checked everything. */
  fullAt: Date;
}

/** The fingerprint of a run with violations, which verifies nothing. */
const nothing = Buffer.alloc(32);

/** Raised when the meaning of the stored state changes without a change of an SQL text, such as in code that a check calls. */
const rules = 6;

/** If one of these tables is created again, the stored state is invalid. */
const tables = [
  ...['ledger_accounts', 'ledger_entries', 'ledger_postings', 'day_digests', 'payment_log'],
  ...['inbox', 'idempotency_keys'],
  ...['payments', 'attempts', 'holds', 'outbox', 'cases', 'vouchers'],
];

/**
 * Identifies what a stored state is valid for: this database, until it is restored or moved, and these checks.
 */
export async function fingerprintOf(db: Database, checks: readonly Check[]): Promise<Buffer> {
  const place = await rowsOf<Record<string, unknown>>(
    db,
    `SELECT DATABASE() AS place, TABLE_NAME AS made, CREATE_TIME AS at FROM information_schema.TABLES
     WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME IN (${quoted(tables)})
     ORDER BY TABLE_NAME`,
  );
  // MySQL and MariaDB have different names for it.
  const server = await rowsOf<Record<string, unknown>>(
    db,
    "SHOW VARIABLES WHERE Variable_name IN ('server_uuid', 'server_uid')",
  );
  const scopes = [everything, changesOf('', noMarks)];
  const asked = checks.map(({ id, promise, find }) => [
    id,
    promise,
    ...scopes.map((scope) => textOfFinder(find, scope)),
  ]);
  return createHash('sha256')
    .update(JSON.stringify([place, server, asked, traces(noMarks), digests, rules]))
    .digest();
}

/** The last run that wrote, with or without violations. */
export async function lastRun(db: Database | Transaction): Promise<string | undefined> {
  return (await db('verified_state').where({ id: 1 }).first('run_id'))?.run_id;
}

/** @returns the stored state, or why there is no valid one. */
export async function findVerifiedState(
  db: Database,
  fingerprint: Buffer,
  now: Date,
): Promise<VerifiedState | string> {
  const row = await db('verified_state').where({ id: 1 }).first();
  if (!row) return 'there was no clean run before';
  if (row.fingerprint.equals(nothing)) return 'the last run that checked everything found violations';
  if (!row.fingerprint.equals(fingerprint))
    return 'since the last clean run the database was restored, moved or migrated, or the checks have changed';
  if (row.verified_at > now) return 'since the last clean run the clock of the database was set back';
  return {
    runId: row.run_id,
    provedAt: row.verified_at,
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
  return rowsOf<Sum>(trx, 'SELECT account_id, currency, postings, total, digest FROM verify_sums');
}

/**
 * Replaces the stored state by that of this run.
 * @param after the last run that had written when this one began.
 * @returns why it could not; undefined on success.
 */
export async function storeVerifiedState(
  db: Database,
  { runId, marks, provedAt, fullAt }: VerifiedState,
  kept: { fingerprint: Buffer; sums: readonly Sum[]; after: string | undefined },
): Promise<string | undefined> {
  const { last } = marks;
  const row: VerifiedStateRow = {
    id: 1,
    run_id: runId,
    fingerprint: kept.fingerprint,
    changed_since: momentIn(marks.changedSince),
    entry_id: last.ledger_entries,
    seq: last.ledger_postings,
    log_id: last.payment_log,
    inbox_id: last.inbox,
    verified_at: provedAt,
    full_at: fullAt,
  };
  try {
    return (await replace(db, kept, row))
      ? undefined
      : 'another run has ended in the meantime, and its result is stored';
  } catch (error) {
    return reasonOf(error);
  }
}

/**
 * Removes the stored state after a full run with violations.
 * @returns why it could not; undefined on success.
 */
export async function dropVerifiedState(db: Database, runId: string, at: Date): Promise<string | undefined> {
  const none = { entry_id: '0', seq: '0', log_id: '0', inbox_id: '0' };
  const row = { id: 1, run_id: runId, fingerprint: nothing, changed_since: at, verified_at: at, full_at: at };
  try {
    await replace(db, { sums: [] }, { ...row, ...none });
    return undefined;
  } catch (error) {
    return (await canStillHold(db)) ? reasonOf(error) : undefined;
  }
}

async function canStillHold(db: Database): Promise<boolean> {
  try {
    const row = await db('verified_state').where({ id: 1 }).first('fingerprint');
    return row !== undefined && !row.fingerprint.equals(nothing);
  } catch {
    return true;
  }
}

/** Why nothing could be written: the database or the account may be read-only. The run still reports its result. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? withoutQuotes(error) : String(error);
}

/** @returns false if another run has written since. */
function replace(
  db: Database,
  kept: { sums: readonly Sum[]; after?: string | undefined },
  row: VerifiedStateRow,
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const before = await trx('verified_state').where({ id: 1 }).forUpdate().first('run_id');
    if ('after' in kept && before?.run_id !== kept.after) return false;
    await trx('verified_state').insert(row).onConflict().merge();
    await trx('verify_sums').delete();
    for (const some of inChunks(kept.sums)) await trx('verify_sums').insert(some as VerifySumRow[]);
    return true;
  });
}

// The list of payments and vouchers that changed since the stored state. The checks start from it; the run deletes it.

/** Queries for changed payments and vouchers, each by an index. */
function traces({ changedSince, last }: Marks): string[] {
  const changed = (alias: string) => `${alias}.changed_at >= '${changedSince}'`;
  return [
    `SELECT p.payment_id AS id FROM payments p WHERE ${changed('p')}`,
    // A check of a deposit with its refunds must run if either of them changed.
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
      // New postings of old entries. New entries are listed above.
      `SELECT e.${column} FROM ledger_postings l FORCE INDEX (PRIMARY) JOIN ledger_entries e ON e.entry_id = l.entry_id
       WHERE l.seq > ${last.ledger_postings} AND l.entry_id <= ${last.ledger_entries}`,
    ]),
  ];
}

/** Writes the list. It reads committed data and locks no row of it. */
export async function listChanges(db: Database | Transaction, runId: string, proved: Marks): Promise<number> {
  // Several queries find most ids; UNION writes each once.
  await db.raw(
    `INSERT IGNORE INTO verify_changes (run_id, id)
     SELECT ?, found.id FROM (SELECT NULL AS id WHERE FALSE UNION ${traces(proved).join(' UNION ')}) found
     WHERE CHAR_LENGTH(found.id) = 36 ORDER BY found.id`,
    [runId],
  );
  const [row] = await rowsOf<{ n: string }>(db, 'SELECT COUNT(*) AS n FROM verify_changes WHERE run_id = ?', [
    runId,
  ]);
  return Number(row?.n ?? 0);
}

/** The rows of this many payments, about 5 kB each, fit into the memory of the smallest server. */
const sliceOf = 2_000;
/** The list also has other ids, which cannot be the end of a slice. */
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Splits the list into slices of `size`, in the order of ids, which is the order of creation. */
export async function slicesOf(db: Database | Transaction, runId: string, size = sliceOf): Promise<Slice[]> {
  const ends = await rowsOf<{ id: string }>(
    db,
    `SELECT id FROM (
       SELECT id, ROW_NUMBER() OVER (ORDER BY id) AS n FROM verify_changes WHERE run_id = ?
     ) listed WHERE MOD(n, ${String(size)}) = 0`,
    [runId],
  );
  const bounds = [undefined, ...ends.map(({ id }) => id).filter((id) => uuid.test(id)), undefined];
  return bounds.slice(1).map((upTo, n) => ({ after: bounds[n], upTo }));
}

/** Deletes the list, and also old lists of killed runs. */
export async function forgetChanges(db: Database, runId: string): Promise<void> {
  try {
    await db('verify_changes').where({ run_id: runId }).delete();
    await db('verify_changes').whereRaw('noted_at < UTC_TIMESTAMP(3) - INTERVAL 1 DAY').delete();
  } catch {
    // An error here must not replace the result of the run.
  }
}

// The end of the data that a run has seen completely.

/**
 * Rows appear at their commit, with the numbers and times of their writing. None of our transactions is open for this long,
 * so all rows before are visible. The next run checks younger rows again.
 */
const openAtMostMs = 3_600_000;

/** The database's time, and the time from which on a run that begins now may miss changes. */
export async function momentOf(db: Database | Transaction): Promise<{ now: Date; changedSince: Date }> {
  const [row] = await rowsOf<{ now: Date }>(db, 'SELECT UTC_TIMESTAMP(3) AS now');
  const now = row?.now ?? new Date();
  return { now, changedSince: new Date(now.getTime() - openAtMostMs) };
}

/** A time as the database reads it. */
export const literal = (moment: Date): string => moment.toISOString().replace('T', ' ').replace('Z', '');

/** The reverse of `literal`. */
export const momentIn = (text: string): Date => new Date(`${text.replace(' ', 'T')}Z`);

/** Nothing is verified. The second day, because a TIMESTAMP cannot be midnight of the first day. */
export const noMarks: Marks = {
  changedSince: '1970-01-02 00:00:00.000',
  last: { ledger_entries: '0', ledger_postings: '0', payment_log: '0', inbox: '0' },
};

/**
 * The last row of each table before the first one from `changedSince` on. It is an existing row and not a computed number,
 * because the numbers in between may belong to uncommitted rows. Reads only the rows after `before`.
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
