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
 * Every session reads committed data only, refuses silent truncation, speaks UTC, and gives up a lock after 5 s:
 * the guards sit in the WHERE of each update, so nothing depends on repeatable reads.
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
  /** How long anybody waits for a connection, a new one or that of another, in milliseconds. */
  patienceMs?: number;
  /** Refuses a server that takes no writes: it was the primary until a moment ago, and knows nothing of what is new. */
  mustWrite?: boolean;
  /** How soon the files that the URL names are looked at again, in milliseconds. */
  lookEveryMs?: number;
  /** After how long without an answer a statement is asked about (see unanswered.ts), in milliseconds. */
  unansweredMs?: number;
  /** See `auditKeysOf`; those of this process's environment unless given. */
  auditKeys?: readonly AuditKey[];
}

/** A key of the audit log; see users/audit-log.ts. */
export interface AuditKey {
  id: string;
  /** 32 bytes. */
  key: Buffer;
}

const auditKeys = new WeakMap<object, readonly AuditKey[]>();
const configOf = (db: Database | Transaction) => (db.client as { config: object }).config;

/** What the database does not know: the first key writes the audit log, all of them check it. None where none was given. */
export function auditKeysOf(db: Database | Transaction): readonly AuditKey[] {
  const given = auditKeys.get(configOf(db));
  if (given) return given;
  const text = readSecret(process.env, 'MALIPO_AUDIT_KEY') ?? '';
  return text === '' ? [] : keysIn(text);
}

/** Long enough for nearly all statements, and short enough to try again while a merchant waits. */
const askAfterMs = 10_000;
/** From then on, ten probes a second apart find out whether a silent server is still there. */
const keepAliveAfterMs = 10_000;

/**
 * New connections follow the files that the URL names, and a server that turns out to take no writes any more has all
 * connections of this process to it replaced: by then the name or the proxy of the URL leads to another.
 * @throws ConfigError when the URL says something that we cannot do; see database-address.ts.
 */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const { poolMax = 8, patienceMs = 5_000, mustWrite = false, unansweredMs = askAfterMs } = options;
  const line = databaseLine(url, options.lookEveryMs);
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
      // One that is to be replaced already says nothing of those that were made since.
      if (isReadOnly(error) && versions.get(on) === line.version()) line.renew();
    },
  });

  const db = knex({
    client: 'mysql2',
    // An error says which statement failed, never with which values: those are people's.
    compileSqlOnError: false,
    // What goes wrong is thrown; knex would print it too, past our own log and what that hides.
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
            // The pool has not got it yet, and would leave it open.
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

/** What can be seen of the pool that knex keeps (tarn). */
export interface ConnectionPool {
  max: number;
  numUsed(): number;
  numFree(): number;
  /** Callers that wait for one. */
  numPendingAcquires(): number;
  /** A caller got none in time. */
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

/** How many at most may ask it something at once. */
export function connectionsOf(db: Database): number {
  return poolOf(db).max;
}

// The line of one pool: what its URL and the files that it names say today, and which connections are of today.

/** How soon a changed certificate is seen. */
const lookEveryMs = 10_000;

/** How often each URL's connections were all to be replaced: one pool is refused a write, and others only read. */
const renewals = new Map<string, number>();

interface DatabaseLine {
  address(): DatabaseAddress;
  /** A connection of another version is not used again. */
  version(): number;
  /**
   * Every connection that this process has by this URL is to be replaced, those of its other pools too: their server has
   * become another's replica, say.
   */
  renew(): void;
  /** Looks, from time to time, whether the files have changed; then a new version begins. */
  hasChanged(): boolean;
}

/** @throws ConfigError when the URL, or a file that it names, is not usable; later the last usable one serves on. */
function databaseLine(url: string, everyMs: number = lookEveryMs): DatabaseLine {
  let address = readDatabaseUrl(url);
  let version = 1;
  let lookedAt = performance.now();

  return {
    address: () => address,
    version: () => version + (renewals.get(url) ?? 0),
    renew() {
      renewals.set(url, (renewals.get(url) ?? 0) + 1);
    },
    hasChanged() {
      if (!address.ssl || performance.now() - lookedAt < everyMs) return false;
      lookedAt = performance.now();
      const next = usableAddress(url);
      if (!next || isSameLine(next, address)) return false;
      address = next;
      version += 1;
      return true;
    },
  };
}

/** Undefined where a file cannot be read, or the key is not that of the certificate: half of a rotation. */
function usableAddress(url: string): DatabaseAddress | undefined {
  try {
    const address = readDatabaseUrl(url);
    createSecureContext(address.ssl);
    return address;
  } catch {
    return undefined;
  }
}

/** What the same object protects, the driver resumes without showing a certificate: so it is kept while nothing changes. */
function isSameLine({ ssl: one }: DatabaseAddress, { ssl: other }: DatabaseAddress): boolean {
  return one?.ca === other?.ca && one?.cert === other?.cert && one?.key === other?.key;
}

// A server that takes no writes: a primary that was demoted, or a replica that a name or a proxy leads to by mistake.

/** --read-only and --super-read-only (1290), a transaction that may only read (1792), InnoDB's own (1836). */
const readOnlyErrno = new Set([1290, 1792, 1836]);

/** The server has answered so: what it refused, a COMMIT included, was rolled back. */
export function isReadOnly(error: unknown): boolean {
  const { errno } = (error ?? {}) as { errno?: number };
  return errno !== undefined && readOnlyErrno.has(errno);
}

const askReadOnly = 'SELECT @@global.read_only AS read_only, @@global.innodb_read_only AS innodb_read_only';

/** @throws what the first write would be answered with. */
function refuseReadOnly(rows: unknown): void {
  const [row = {}] = rows as Record<string, string | number>[];
  if (Object.values(row).every((value) => ['0', 'OFF'].includes(String(value)))) return;
  throw Object.assign(new Error('the database takes no writes'), {
    errno: 1290,
    code: 'ER_OPTION_PREVENTS_STATEMENT',
  });
}
