/** Everything that migrations leave in a database, for comparison. */
import type { Database } from '../../../src/store/database';

export interface Described {
  tables: Record<string, string>;
  /** The number of rows of each. */
  rows: Record<string, number>;
  triggers: string[];
  routines: string[];
}

/** The same text for equal schemas, whatever the order of their creation. */
export async function schemaOf(db: Database): Promise<Described> {
  const names = await column(
    db,
    `SELECT TABLE_NAME AS name FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() ORDER BY 1`,
  );
  const described: Described = { tables: {}, rows: {}, triggers: [], routines: [] };
  for (const name of names) {
    const [[made]] = (await db.raw(`SHOW CREATE TABLE ${name}`)) as [[Record<string, string>]];
    described.tables[name] = (made['Create Table'] ?? '').replace(/ AUTO_INCREMENT=\d+/, '');
    const [[counted]] = (await db.raw(`SELECT COUNT(*) AS n FROM ${name}`)) as [[{ n: string }]];
    described.rows[name] = Number(counted.n);
  }
  described.triggers = await column(
    db,
    `SELECT CONCAT(TRIGGER_NAME, ' ', EVENT_OBJECT_TABLE, ' ', ACTION_STATEMENT) AS name
     FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE() ORDER BY 1`,
  );
  described.routines = await column(
    db,
    `SELECT CONCAT(ROUTINE_NAME, ' ', ROUTINE_DEFINITION) AS name
     FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = DATABASE() ORDER BY 1`,
  );
  return described;
}

async function column(db: Database, sql: string): Promise<string[]> {
  const [rows] = (await db.raw(sql)) as [{ name: string }[]];
  return rows.map(({ name }) => name);
}
