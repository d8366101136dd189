import { setTimeout as delay } from 'node:timers/promises';
import { transaction as tracedTransaction } from '../telemetry/tracing/scope';
import { diskFullErrno, isReadOnly, type Database, type Transaction } from './database';

/** How to handle a database error. Numbers are the errno of MySQL and MariaDB. */
const retryableErrno = new Set([1213, 1205, 1020, 1040, 1053, 1927, 2006, 2013, 3169, 4031]);
const retryableCode = new Set(['ECONNRESET', 'EPIPE', 'PROTOCOL_CONNECTION_LOST', 'ECONNREFUSED']);
const duplicateErrno = 1062;

export type DatabaseFault = 'retry' | 'wait' | 'duplicate' | 'bug';

interface DriverError {
  errno?: number;
  code?: string;
  sqlMessage?: string;
  name?: string;
  /** The driver sets it if the error closed the connection. */
  fatal?: boolean;
}

export function classifyDatabaseError(error: unknown): DatabaseFault {
  if (error instanceof CommitUnknown) return 'retry';
  const { errno, code, name, fatal } = (error ?? {}) as DriverError;
  if (errno === duplicateErrno) return 'duplicate';
  // On a new connection, which may lead to another server by then.
  if (isReadOnly(error)) return 'retry';
  if (errno !== undefined && diskFullErrno.has(errno)) return 'wait';
  if (errno !== undefined && retryableErrno.has(errno)) return 'retry';
  if (code !== undefined && retryableCode.has(code)) return 'retry';
  if (fatal === true) return 'retry';
  if (name === 'KnexTimeoutError') return 'wait';
  return 'bug';
}

/** True if the database is unavailable, as opposed to rejecting a statement. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const fault = classifyDatabaseError(error);
  return fault === 'retry' || fault === 'wait';
}

/** @returns the unique key of a duplicate-key error, or undefined for another error. */
export function duplicateKeyOf(error: unknown): string | undefined {
  if (classifyDatabaseError(error) !== 'duplicate') return undefined;
  return /for key '(?:[^'.]*\.)?([^']+)'$/.exec((error as DriverError).sqlMessage ?? '')?.[1] ?? '';
}

/**
 * A COMMIT was sent, its answer was lost, and the database could not report the result in time. The transaction's
 * writes may be there, or appear a moment later.
 */
export class CommitUnknown extends Error {
  constructor(cause: unknown) {
    super('it is unknown whether a transaction was committed', { cause });
    this.name = 'CommitUnknown';
  }
}

/** Statements that a caller adds at the end of a transaction, such as the line of the audit log. */
export type Alongside = (trx: Transaction) => Promise<void>;

const lastWork = new WeakMap<Transaction, Alongside[]>();

/**
 * Runs `work` at the end of a transaction of `inTransaction`, before its COMMIT.
 * @returns false in any other transaction, where the caller runs it at once.
 */
export function beforeCommit(trx: Transaction, work: Alongside): boolean {
  const works = lastWork.get(trx);
  works?.push(work);
  return works !== undefined;
}

const triesMax = 8;

/**
 * Runs `work` in one transaction, and repeats all of it after a deadlock, a lock timeout, a lost connection, or a
 * server that became read-only. It uses knex's callback form: `await trx.commit()` resolves even if the connection died
 * and nothing was committed. If the connection is lost in COMMIT, the result is unknown. The next attempt waits for the
 * locks of the previous one, so the unique keys of the rows that `work` writes reveal it.
 * @param patienceMs the least time that the next attempt may take once the result is unknown.
 * @throws CommitUnknown if the result stays unknown. Any other error that is not `work`'s own means: nothing was
 * committed.
 */
export async function inTransaction<T>(
  db: Database,
  work: (trx: Transaction) => Promise<T>,
  { patienceMs = 0 }: { patienceMs?: number } = {},
): Promise<T> {
  /** Set once a COMMIT without an answer may have arrived. */
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
        // An error of the work itself now is based on the result of the unanswered COMMIT.
        if (!at.commit && !isDatabaseUnavailable(error)) throw error;
        if (isOver && performance.now() >= patientUntil) throw new CommitUnknown(error);
      }
      await delay(Math.random() * Math.min(500, 10 * 2 ** attempt));
    }
  }
}

/** Columns for each change of a payment that its merchant sees and that is no transition, such as a later receipt. */
export const nextChange = (trx: Transaction) => ({
  sequence: trx.raw('sequence + 1') as never,
  updated_at: new Date(),
});
