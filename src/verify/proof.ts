/** What a clean run leaves for the next one, which then looks at what is new alone. */
import { createHash } from 'node:crypto';
import type { Database, Transaction } from '../store/database';
import { inChunks } from '../store/in-chunks';
import { inTransaction } from '../store/transaction';
import type { ProofRow, ProofSumRow } from '../store/tables';
import { quoted, rowsOf, textOfFinder, type Check } from './check';
import { withoutQuotes } from '../telemetry/quotes';
import { literal, momentIn, noMarks } from './marks';
import { traces } from './news';
import { everything, newsOf, type Marks } from './scope';
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
const rules = 5;

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
