/**
 * Databases that earlier test files of the same jest process have left unchanged: creating and dropping a schema takes
 * longer than most files take. A changed database is not reused.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import type { Login } from '../../tools/sandbox/services/schema';
import { readDatabaseUrl, withSchema } from '../../src/store/database-address';
import type { SchemaAccounts } from '../../src/store/prepare-schema';
import { leftByFiles } from './left-by-files';

export interface MadeDatabase extends SchemaAccounts {
  name: string;
  /** The account with all privileges. */
  adminUrl: string;
  /** The accounts of its service and its migrator. */
  logins: Login[];
}

interface AsMade {
  /** Tables, triggers, routines and privileges. */
  shape: string;
  /** The rows of the migrations, by table. */
  rows: Map<string, RowDataPacket[]>;
}

type Spare = MadeDatabase & { asMade: AsMade };

/** A file needs one database, or a few. */
const sparesMax = 4;
/** How long the remaining connections may take to close. */
const goneWithinMs = 2_000;
/** How long an open transaction may lock a table. */
const lockWaitSeconds = 2;

const spares = leftByFiles<Spare[]>('spares', () => []);
const inUse = new Map<string, AsMade>();

export function takeSpare(): MadeDatabase | undefined {
  const spare = spares.pop();
  if (spare) inUse.set(spare.name, spare.asMade);
  return spare;
}

/**
 * Notes the state of a new database, which it must have when it is left. Nothing is noted when no database may be left.
 */
export async function noteAsMade(made: MadeDatabase): Promise<void> {
  if (process.env.MALIPO_TEST_SPARE_DATABASES !== '1') return;
  await asAdministrator(made, async (session) => {
    const tables = await withRows(session, made.name);
    const rows = await Promise.all(tables.map((table) => rowsOf(session, made.name, table)));
    inUse.set(made.name, {
      shape: await shapeOf(session, made),
      rows: new Map(tables.map((table, i) => [table, rows[i] ?? []])),
    });
  });
}

/** @returns false when it has changed, or still has connections: then the caller drops it. */
export async function leaveAsSpare(made: MadeDatabase): Promise<boolean> {
  const asMade = inUse.get(made.name);
  inUse.delete(made.name);
  if (asMade === undefined || spares.length >= sparesMax) return false;
  const isLeft = await asAdministrator(made, async (session) => {
    if (!(await isAlone(session, made.name))) return false;
    if ((await shapeOf(session, made)) !== asMade.shape) return false;
    await restoreRows(session, made.name, asMade.rows);
    return true;
  }).catch(() => false);
  if (isLeft) spares.push({ ...made, asMade });
  return isLeft;
}

async function asAdministrator<T>(
  { adminUrl }: MadeDatabase,
  work: (session: Connection) => Promise<T>,
): Promise<T> {
  // Connects without a schema, so that its own connection does not count as a user of it.
  const { database: _, ...address } = readDatabaseUrl(withSchema(adminUrl, ''));
  const session = await createConnection({
    ...address,
    dateStrings: true,
    supportBigNumbers: true,
    bigNumberStrings: true,
  });
  try {
    await session.query('SET SESSION foreign_key_checks = 0, lock_wait_timeout = ?', [lockWaitSeconds]);
    return await work(session);
  } finally {
    await session.end();
  }
}

async function isAlone(session: Connection, name: string): Promise<boolean> {
  const until = performance.now() + goneWithinMs;
  for (;;) {
    const [users] = await session.query<RowDataPacket[]>(
      'SELECT ID FROM information_schema.PROCESSLIST WHERE DB = ? LIMIT 1',
      [name],
    );
    if (users.length === 0) return true;
    if (performance.now() > until) return false;
    await delay(20);
  }
}

const shapes = [
  `SELECT TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLUMN_DEFAULT, COLLATION_NAME, EXTRA
   FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? ORDER BY TABLE_NAME, ORDINAL_POSITION`,
  `SELECT TABLE_NAME, INDEX_NAME, COLUMN_NAME, NON_UNIQUE FROM information_schema.STATISTICS
   WHERE TABLE_SCHEMA = ? ORDER BY TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX`,
  `SELECT TABLE_NAME, CONSTRAINT_NAME FROM information_schema.TABLE_CONSTRAINTS
   WHERE TABLE_SCHEMA = ? ORDER BY TABLE_NAME, CONSTRAINT_NAME`,
  `SELECT TRIGGER_NAME, EVENT_OBJECT_TABLE, ACTION_STATEMENT FROM information_schema.TRIGGERS
   WHERE TRIGGER_SCHEMA = ? ORDER BY TRIGGER_NAME`,
  `SELECT ROUTINE_NAME, ROUTINE_DEFINITION FROM information_schema.ROUTINES
   WHERE ROUTINE_SCHEMA = ? ORDER BY ROUTINE_NAME`,
];

async function shapeOf(session: Connection, { name, logins }: MadeDatabase): Promise<string> {
  const found: unknown[] = [];
  for (const sql of shapes) found.push((await session.query(sql, [name]))[0]);
  for (const { user, host } of logins) {
    found.push((await session.query('SHOW CREATE USER ?@?', [user, host]))[0]);
    found.push((await session.query('SHOW GRANTS FOR ?@?', [user, host]))[0]);
  }
  return JSON.stringify(found);
}

/** Empty tables whose counter is at its start are skipped. */
async function restoreRows(session: Connection, name: string, written: AsMade['rows']): Promise<void> {
  const used = new Set([...(await withRows(session, name)), ...(await counting(session, name))]);
  for (const table of new Set([...used, ...written.keys()])) {
    const rows = written.get(table) ?? [];
    if (rows.length > 0 && isSame(await rowsOf(session, name, table), rows)) continue;
    await session.query('TRUNCATE TABLE ??.??', [name, table]);
    for (const row of rows) await session.query('INSERT INTO ??.?? SET ?', [name, table, row]);
    if (!isSame(await rowsOf(session, name, table), rows)) throw new Error(`${table} is not as it was`);
  }
}

const isSame = (a: RowDataPacket[], b: RowDataPacket[]) => JSON.stringify(a) === JSON.stringify(b);

async function rowsOf(session: Connection, name: string, table: string): Promise<RowDataPacket[]> {
  return (await session.query<RowDataPacket[]>('SELECT * FROM ??.?? ORDER BY 1', [name, table]))[0];
}

async function withRows(session: Connection, name: string): Promise<string[]> {
  const tables = await namesFrom(
    session,
    `SELECT TABLE_NAME AS name FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_TYPE = 'BASE TABLE'`,
    [name],
  );
  const checks = tables.map(() => 'SELECT ? AS name FROM DUAL WHERE EXISTS (SELECT 1 FROM ??.??)');
  return namesFrom(
    session,
    checks.join(' UNION ALL '),
    tables.flatMap((table) => [table, name, table]),
  );
}

/** Tables whose counter has given out a number, even if the row is deleted by now. */
function counting(session: Connection, name: string): Promise<string[]> {
  return namesFrom(
    session,
    'SELECT TABLE_NAME AS name FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND AUTO_INCREMENT > 1',
    [name],
  );
}

async function namesFrom(session: Connection, sql: string, values: string[]): Promise<string[]> {
  const [rows] = await session.query<(RowDataPacket & { name: string })[]>(sql, values);
  return rows.map(({ name }) => name);
}
