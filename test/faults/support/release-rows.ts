/** The rows of a database as SQL that MySQL and MariaDB both read. */
import { escape } from 'mysql2';
import { createConnection, type RowDataPacket } from 'mysql2/promise';

interface Column {
  name: string;
  isBinary: boolean;
}

/** Written by the migrator, or by each process while it runs. */
const notDumped = ['knex_migrations', 'knex_migrations_lock', 'migration_steps', 'processes'];

/** No integer becomes a floating-point number. */
const exact = { supportBigNumbers: true, bigNumberStrings: true };

type Session = Awaited<ReturnType<typeof createConnection>>;

async function onAdmin<T>(url: string, work: (session: Session) => Promise<T>): Promise<T> {
  const session = await createConnection({
    uri: url,
    timezone: 'Z',
    dateStrings: true,
    ...exact,
  });
  try {
    await session.query('SET SESSION foreign_key_checks = 0, time_zone = "+00:00"');
    return await work(session);
  } finally {
    await session.end();
  }
}

async function tablesOf(session: Session): Promise<string[]> {
  const [rows] = await session.query<RowDataPacket[]>(
    `SELECT TABLE_NAME AS name FROM information_schema.TABLES
     WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE' ORDER BY 1`,
  );
  return rows.map(({ name }) => String(name)).filter((name) => !notDumped.includes(name));
}

async function columnsOf(session: Session, table: string): Promise<Column[]> {
  const [rows] = await session.query<RowDataPacket[]>(
    `SELECT COLUMN_NAME AS name, DATA_TYPE AS type FROM information_schema.COLUMNS
     WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? AND EXTRA NOT LIKE '%GENERATED%' ORDER BY ORDINAL_POSITION`,
    [table],
  );
  return rows.map(({ name, type }) => ({
    name: `\`${String(name)}\``,
    isBinary: /binary|blob/.test(String(type)),
  }));
}

/** One INSERT for each table with rows, one line for each row. */
export function dumpRows(adminUrl: string): Promise<string> {
  return onAdmin(adminUrl, async (session) => {
    const statements: string[] = [];
    for (const table of await tablesOf(session)) {
      const columns = await columnsOf(session, table);
      const read = columns.map(({ name, isBinary }) => (isBinary ? `HEX(${name})` : name));
      const [rows] = await session.query<RowDataPacket[][]>({
        sql: `SELECT ${read.join(', ')} FROM ${table} ORDER BY 1`,
        rowsAsArray: true,
      });
      if (rows.length === 0) continue;
      const lines = rows.map((row) => `(${row.map((value, i) => textOf(value, columns[i])).join(',')})`);
      const names = columns.map(({ name }) => name).join(',');
      statements.push(`INSERT INTO ${table} (${names}) VALUES\n${lines.join(',\n')};\n`);
    }
    return statements.join('');
  });
}

/** @param value null, a text or a number; an object where MySQL reads JSON. */
function textOf(value: unknown, column: Column | undefined): string {
  if (value === null) return 'NULL';
  if (column?.isBinary) return value === '' ? "''" : `0x${value as string}`;
  return escape(typeof value === 'object' ? JSON.stringify(value) : (value as string | number));
}

/** Replaces the rows of a migrated database. */
export function loadRows(adminUrl: string, sql: string): Promise<void> {
  return onAdmin(adminUrl, async (session) => {
    // DELETE is what the triggers of append-only tables refuse.
    for (const table of await tablesOf(session)) await session.query(`TRUNCATE TABLE ${table}`);
    for (const statement of sql.split(/;\n/).filter((text) => text !== '')) await session.query(statement);
  });
}
