import { setTimeout as delay } from 'node:timers/promises';
import { transaction as tracedTransaction } from '../telemetry/tracing/scope';
import { isReadOnly, type Database, type Transaction } from './database';

/** What to do about a database error. Numbers are MySQL's and MariaDB's errno. */
const retryableErrno = new Set([1213, 1205, 1020, 1040, 1053, 1927, 2006, 2013, 3169, 4031]);
const retryableCode = new Set(['ECONNRESET', 'EPIPE', 'PROTOCOL_CONNECTION_LOST', 'ECONNREFUSED']);
const waitErrno = new Set([1021, 1114]);
const duplicateErrno = 1062;

export type DatabaseFault = 'retry' | 'wait' | 'duplicate' | 'bug';

interface DriverError {
  errno?: number;
  code?: string;
  sqlMessage?: string;
  name?: string;
  /** Set by the driver when the connection is lost with the error. */
  fatal?: boolean;
}

export function classifyDatabaseError(error: unknown): DatabaseFault {
  if (error instanceof CommitUnknown) return 'retry';
  const { errno, code, name, fatal } = (error ?? {}) as DriverError;
  if (errno === duplicateErrno) return 'duplicate';
  // On another connection, which may lead to another server by then.
  if (isReadOnly(error)) return 'retry';
  if (errno !== undefined && waitErrno.has(errno)) return 'wait';
  if (errno !== undefined && retryableErrno.has(errno)) return 'retry';
  if (code !== undefined && retryableCode.has(code)) return 'retry';
  if (fatal === true) return 'retry';
  if (name === 'KnexTimeoutError') return 'wait';
  return 'bug';
}

/** True when the database cannot be used now, as opposed to having refused a statement. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const fault = classifyDatabaseError(error);
  return fault === 'retry' || fault === 'wait';
}

/** The name of the unique key a duplicate ran into, or undefined when the error is none. */
export function duplicateKeyOf(error: unknown): string | undefined {
  if (classifyDatabaseError(error) !== 'duplicate') return undefined;
  return /for key '(?:[^'.]*\.)?([^']+)'$/.exec((error as DriverError).sqlMessage ?? '')?.[1] ?? '';
}

/**
 * A COMMIT was sent, its answer was lost, and the database could not be asked in time what became of it. Whatever the
 * transaction writes may be there, or come to be there a moment later.
 */
export class CommitUnknown extends Error {
  constructor(cause: unknown) {
    super('it is not known whether a transaction was committed', { cause });
    this.name = 'CommitUnknown';
  }
}

/** What a caller adds to a transaction as its last statements, such as the line of the audit log that tells of it. */
export type Alongside = (trx: Transaction) => Promise<void>;

const lastWork = new WeakMap<Transaction, Alongside[]>();

/**
 * Has something done at the end of a transaction that `inTransaction` has begun, before it is committed.
 * @returns false in any other one, where the caller does it at once.
 */
export function beforeCommit(trx: Transaction, work: Alongside): boolean {
  const works = lastWork.get(trx);
  works?.push(work);
  return works !== undefined;
}

const triesMax = 8;

/**
 * Runs `work` in one transaction, and the whole of it again after a deadlock, a lock timeout, a lost connection, or a
 * server that takes no writes any more.
 * Always knex's callback form: `await trx.commit()` resolves even when the connection died and nothing was
 * committed. After a connection lost inside COMMIT the outcome is unknown; the next try waits for the locks of the one
 * before it, so that the unique keys of what `work` writes tell.
 * @param patienceMs how long the next try is awaited at least once the outcome is unknown.
 * @throws CommitUnknown when nothing could tell. Any other error that is not `work`'s own means: nothing was committed.
 */
export async function inTransaction<T>(
  db: Database,
  work: (trx: Transaction) => Promise<T>,
  { patienceMs = 0 }: { patienceMs?: number } = {},
): Promise<T> {
  /** Set once a COMMIT may have arrived that nobody answered. */
  let patientUntil: number | undefined;
  for (let attempt = 1; ; attempt += 1) {
    const at = { commit: false };
    try {
      return await tracedTransaction(() =>
        db.transaction(async (trx) => {
          const last: Alongside[] = [];
          lastWork.set(trx, last);
          const result = await work(trx);
          for (const each of last) await each(trx);
          at.commit = true;
          return result;
        }),
      );
    } catch (error) {
      if (at.commit && !isReadOnly(error)) patientUntil ??= performance.now() + patienceMs;
      const isOver = attempt >= triesMax;
      if (patientUntil === undefined) {
        if (classifyDatabaseError(error) !== 'retry' || isOver) throw error;
      } else {
        // What the work itself throws now was decided in view of what the unanswered COMMIT has left.
        if (!at.commit && !isDatabaseUnavailable(error)) throw error;
        if (isOver && performance.now() >= patientUntil) throw new CommitUnknown(error);
      }
      await delay(Math.random() * Math.min(500, 10 * 2 ** attempt));
    }
  }
}

/** What is written with each change of a payment that its merchant sees and that is no move: a receipt that comes later, say. */
export const nextChange = (trx: Transaction) => ({
  sequence: trx.raw('sequence + 1') as never,
  updated_at: new Date(),
});
