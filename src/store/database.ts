import { createSecureContext } from 'node:tls';
import { promisify } from 'node:util';
import { knex, type Knex } from 'knex';
import { keysIn } from '../config';
import { readSecret } from '../secret-files';
import { readDatabaseUrl, type DatabaseAddress } from './database-address';
import './tables';
import { statementWatch, type DriverConnection } from './unanswered';

export type Database = Knex;
export type Transaction = Knex.Transaction;

/**
 * Every session reads committed data only, rejects silent truncation, uses UTC, and stops waiting for a lock after 5 s.
 * Every UPDATE has its guard in its WHERE, so nothing needs repeatable reads.
 */
const sessionSetup = [
  "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'",
  'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
  'SET SESSION innodb_lock_wait_timeout = 5',
  "SET SESSION time_zone = '+00:00'",
];

const silent = (): void => undefined;

export interface DatabaseOptions {
  poolMax?: number;
  /** How long a caller waits for a connection, new or pooled, in milliseconds. */
  patienceMs?: number;
  /** Rejects a read-only server: it is a former primary, without the newest data. */
  mustWrite?: boolean;
  /** How often the files of the URL are read again, in milliseconds. */
  checkEveryMs?: number;
  /** How long a statement may have no answer before the watch checks it (unanswered.ts), in milliseconds. */
  unansweredMs?: number;
  /** See `auditKeysOf`; by default the keys of this process's environment. */
  auditKeys?: readonly AuditKey[];
}

/** A key of the audit log (users/audit-log.ts). */
export interface AuditKey {
  id: string;
  /** 32 bytes. */
  key: Buffer;
}

const auditKeys = new WeakMap<object, readonly AuditKey[]>();
const configOf = (db: Database | Transaction) => (db.client as { config: object }).config;

/** Keys that the database does not contain: the first signs the audit log, all verify it. Empty without a setting. */
export function auditKeysOf(db: Database | Transaction): readonly AuditKey[] {
  const given = auditKeys.get(configOf(db));
  if (given) return given;
  const text = readSecret(process.env, 'MALIPO_AUDIT_KEY') ?? '';
  return text === '' ? [] : keysIn(text);
}

/** Longer than nearly all statements take, and short enough to retry while a merchant waits. */
const askAfterMs = 10_000;
/** After this time, ten probes at one-second intervals test whether a silent server is still there. */
const keepAliveAfterMs = 10_000;

/**
 * New connections use the current files of the URL. If a server becomes read-only, this process replaces all its
 * connections to it: by then the name or proxy in the URL leads to another server.
 * @throws ConfigError if the URL needs something unsupported (database-address.ts).
 */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const { poolMax = 8, patienceMs = 5_000, mustWrite = false, unansweredMs = askAfterMs } = options;
  const line = databaseLine(url, options.checkEveryMs);
  const connection = () => ({
    ...addressOf(line),
    charset: 'utf8mb4',
    timezone: 'Z',
    // Without these two, mysql2 rounds BIGINT 9007199254740993 to ...992.
    supportBigNumbers: true,
    bigNumberStrings: true,
    connectTimeout: patienceMs,
    enableKeepAlive: true,
    keepAliveInitialDelay: keepAliveAfterMs,
  });
  const versions = new WeakMap<DriverConnection, number>();
  const watch = statementWatch({
    everyMs: unansweredMs,
    connection,
    noteError(error, on) {
      noteRejection(error);
      // A connection that is replaced anyway says nothing about the newer ones.
      if (isReadOnly(error) && versions.get(on) === line.version()) line.renew();
    },
  });

  const db = knex({
    client: 'mysql2',
    // An error names the failed statement, never its values, which are personal data.
    compileSqlOnError: false,
    // Errors are thrown. knex would also print them, past our log and its redaction.
    log: { debug: silent, warn: silent, error: silent, deprecate: silent },
    connection: () => ({ ...connection(), expirationChecker: () => line.hasChanged() }),
    pool: {
      min: 0,
      max: poolMax,
      acquireTimeoutMillis: patienceMs,
      afterCreate(made: DriverConnection, done: (error: unknown, made: DriverConnection) => void) {
        versions.set(made, line.version());
        watch(made);
        prepare(made, mustWrite).then(
          () => {
            done(null, made);
          },
          (error: unknown) => {
            noteRejection(error);
            // The pool does not have the connection yet, and would leave it open.
            made.destroy();
            done(error, made);
          },
        );
      },
      validate: (made: DriverConnection) => versions.get(made) === line.version(),
    },
  });
  if (options.auditKeys) auditKeys.set(configOf(db), options.auditKeys);
  return db;
}

/** The part of knex's pool (tarn) that we use. */
export interface ConnectionPool {
  max: number;
  numUsed(): number;
  numFree(): number;
  /** Callers that are waiting for a connection. */
  numPendingAcquires(): number;
  /** Emitted when a caller got no connection in time. */
  on(event: 'acquireFail', handler: () => void): void;
}

export function poolOf(db: Database): ConnectionPool {
  return (db.client as { pool: ConnectionPool }).pool;
}

function addressOf(line: DatabaseLine): Omit<DatabaseAddress, 'database'> & { database?: string } {
  const { database, ssl, ...rest } = line.address();
  return { ...rest, ...(database !== undefined && { database }), ...(ssl && { ssl }) };
}

async function prepare(connection: DriverConnection, mustWrite: boolean): Promise<void> {
  const ask = promisify((sql: string, done: (error: unknown, rows?: unknown) => void) => {
    connection.query(sql, done);
  });
  for (const sql of sessionSetup) await ask(sql);
  if (mustWrite) refuseReadOnly(await ask(askReadOnly));
}

/** The most callers that can query at once. */
export function connectionsOf(db: Database): number {
  return poolOf(db).max;
}

// The connection settings of one pool: the current URL and files, and their version.

/** How soon a changed certificate is noticed. */
const pollEveryMs = 10_000;

/**
 * How often all connections of a URL were replaced. It is shared, because one pool's write is rejected while other
 * pools only read.
 */
const renewals = new Map<string, number>();

interface DatabaseLine {
  address(): DatabaseAddress;
  /** A connection of an older version is not used again. */
  version(): number;
  /**
   * Replaces every connection of this process to the URL, in all its pools: the server has become a replica, for
   * example.
   */
  renew(): void;
  /** Reads the files at an interval. If they have changed, a new version begins. */
  hasChanged(): boolean;
}

/** @throws ConfigError if the URL or its files are invalid. Later the last valid settings stay in use. */
function databaseLine(url: string, everyMs: number = pollEveryMs): DatabaseLine {
  let address = readDatabaseUrl(url);
  let version = 1;
  let checkedAt = performance.now();

  return {
    address: () => address,
    version: () => version + (renewals.get(url) ?? 0),
    renew() {
      renewals.set(url, (renewals.get(url) ?? 0) + 1);
    },
    hasChanged() {
      if (!address.ssl || performance.now() - checkedAt < everyMs) return false;
      checkedAt = performance.now();
      const next = usableAddress(url);
      if (!next || isSameLine(next, address)) return false;
      address = next;
      version += 1;
      return true;
    },
  };
}

/** Undefined if a file is unreadable, or key and certificate do not match: a rotation is in progress. */
function usableAddress(url: string): DatabaseAddress | undefined {
  try {
    const address = readDatabaseUrl(url);
    createSecureContext(address.ssl);
    return address;
  } catch {
    return undefined;
  }
}

/**
 * The driver resumes TLS sessions per options object without a certificate. So the same object is used while nothing
 * changes.
 */
function isSameLine({ ssl: one }: DatabaseAddress, { ssl: other }: DatabaseAddress): boolean {
  return one?.ca === other?.ca && one?.cert === other?.cert && one?.key === other?.key;
}

// A read-only server: a demoted primary, or a replica that a name or proxy leads to by mistake.

/** --read-only and --super-read-only (1290), a read-only transaction (1792), InnoDB's own (1836). */
const readOnlyErrno = new Set([1290, 1792, 1836]);

/** A full disk (1021), a table that cannot grow (1114), and a temporary file that cannot (20). */
export const diskFullErrno: ReadonlySet<number> = new Set([20, 1021, 1114]);

/** Why a server refuses to write, for the metrics. */
const rejections = { read_only: readOnlyErrno, disk_full: diskFullErrno };
export type RejectionReason = keyof typeof rejections;
export const rejectionReasons = Object.keys(rejections) as RejectionReason[];
const rejectionListeners = new Set<(reason: RejectionReason) => void>();

/**
 * Calls the listener for each refused write of this process, in any pool.
 * @returns what ends that.
 */
export function onRejection(listener: (reason: RejectionReason) => void): () => void {
  rejectionListeners.add(listener);
  return () => void rejectionListeners.delete(listener);
}

function noteRejection(error: unknown): void {
  const { errno = 0 } = (error ?? {}) as { errno?: number };
  for (const reason of rejectionReasons) {
    if (rejections[reason].has(errno)) for (const listener of rejectionListeners) listener(reason);
  }
}

/** The server has answered: what it rejected, including a COMMIT, was rolled back. */
export function isReadOnly(error: unknown): boolean {
  const { errno } = (error ?? {}) as { errno?: number };
  return errno !== undefined && readOnlyErrno.has(errno);
}

const askReadOnly = 'SELECT @@global.read_only AS read_only, @@global.innodb_read_only AS innodb_read_only';

/** @throws the error that a write would get. */
function refuseReadOnly(rows: unknown): void {
  const [row = {}] = rows as Record<string, string | number>[];
  if (Object.values(row).every((value) => ['0', 'OFF'].includes(String(value)))) return;
  throw Object.assign(new Error('the database accepts no writes'), {
    errno: 1290,
    code: 'ER_OPTION_PREVENTS_STATEMENT',
  });
}
