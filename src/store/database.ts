import { promisify } from 'node:util';
import { knex, type Knex } from 'knex';
import { keysIn } from '../config';
import { readSecret } from '../secret-files';
import type { DatabaseAddress } from './database-address';
import { databaseLine, type DatabaseLine } from './database-line';
import { askReadOnly, isReadOnly, refuseReadOnly } from './read-only';
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

/** A key of the audit log; see operators/audit-log.ts. */
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
