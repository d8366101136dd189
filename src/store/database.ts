import { knex, type Knex } from 'knex';
import { readDatabaseUrl } from './database-address';
import './tables';

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

interface PooledConnection {
  query(sql: string, done: (error: Error | null) => void): void;
}

export interface DatabaseOptions {
  poolMax?: number;
  /** How long anybody waits for a connection, a new one or that of another, in milliseconds. */
  patienceMs?: number;
}

/** @throws an Error when the URL says something that we cannot do; see database-address.ts. */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const { poolMax = 8, patienceMs = 5_000 } = options;
  const { host, port, user, password, database, ssl } = readDatabaseUrl(url);
  return knex({
    client: 'mysql2',
    // An error says which statement failed, never with which values: those are people's.
    compileSqlOnError: false,
    // What goes wrong is thrown; knex would print it too, past our own log and what that hides.
    log: { debug: silent, warn: silent, error: silent, deprecate: silent },
    connection: {
      host,
      port,
      user,
      password,
      ...(database !== undefined && { database }),
      ...(ssl && { ssl }),
      charset: 'utf8mb4',
      timezone: 'Z',
      // Without these two, mysql2 rounds BIGINT 9007199254740993 to ...992.
      supportBigNumbers: true,
      bigNumberStrings: true,
      connectTimeout: patienceMs,
    },
    pool: {
      min: 0,
      max: poolMax,
      acquireTimeoutMillis: patienceMs,
      afterCreate(connection: PooledConnection, done: (error: Error | null, c: PooledConnection) => void) {
        const run = (rest: string[]): void => {
          const [sql, ...later] = rest;
          if (sql === undefined) return done(null, connection);
          connection.query(sql, (error) => (error ? done(error, connection) : run(later)));
        };
        run(sessionSetup);
      },
    },
  });
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

/** How many at most may ask it something at once. */
export function connectionsOf(db: Database): number {
  return poolOf(db).max;
}
