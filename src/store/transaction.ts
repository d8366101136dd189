import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Transaction } from './database';

/** What to do about a database error. Numbers are MySQL's and MariaDB's errno. */
const retryableErrno = new Set([1213, 1205, 1020, 1040, 1053, 1927, 2006, 2013, 3169, 4031]);
const retryableCode = new Set(['ECONNRESET', 'EPIPE', 'PROTOCOL_CONNECTION_LOST', 'ECONNREFUSED']);
const waitErrno = new Set([1290, 1792, 1836, 1021, 1114]);
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
  const { errno, code, name, fatal } = (error ?? {}) as DriverError;
  if (errno === duplicateErrno) return 'duplicate';
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

const triesMax = 8;

/**
 * Runs `work` in one transaction, and the whole of it again after a deadlock, a lock timeout or a lost connection.
 * Always knex's callback form: `await trx.commit()` resolves even when the connection died and nothing was
 * committed. After a connection lost inside COMMIT the outcome is unknown; the unique keys of what `work` writes
 * tell on the next try.
 */
export async function inTransaction<T>(db: Database, work: (trx: Transaction) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction(work);
    } catch (error) {
      if (classifyDatabaseError(error) !== 'retry' || attempt >= triesMax) throw error;
      await delay(Math.random() * Math.min(500, 10 * 2 ** attempt));
    }
  }
}
