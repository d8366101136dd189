/** The list of copies and their source payments, in the order of their ids: helper tables beside the database's own. */
import type { Database } from '../../../src/store/database';
import { entriesEach, type Column } from './columns';
import { countsOf } from './shapes';
import type { Template } from './templates';

/** A separate schema: it has no table of the product. */
export const helpers = 'malipo_house';

export interface Plan {
  /** In total, including open ones. */
  payments: number;
  open: number;
  /** They are the new payments of a deployment that may already have so many copies. */
  beside?: number;
}

const daySeconds = 86_400;

/** The age, in seconds, of the youngest and the oldest of them. */
interface Begun {
  ended: Ago;
  open: Ago;
}

export interface Ago {
  least: number;
  most: number;
}

/**
 * The youngest open ones are six hours old at most. Final ones ended before the half hour by which the workers judge
 * provider notifications: real payments decide that.
 */
export const ofThreeMonths: Begun = {
  ended: { least: 3_600, most: 90 * daySeconds },
  open: { least: 0, most: 7_200 },
};
export const ofThisHour: Begun = { ended: { least: 2_100, most: 3_900 }, open: { least: 0, most: 1_800 } };

/** @returns SQL that spreads `n.n`, from 0 to `count` - 1, evenly between the two, never exactly on them. */
export function agoOfNth({ least, most }: Ago, count: number): string {
  return `${least} + FLOOR((n.n + 1) * ${most - least} / ${count + 1})`;
}

const id = 'CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL';

/** An id like that of a payment of that time. */
const copiedId = `CONCAT(LEFT(hex, 8), '-', RIGHT(hex, 4), '-7', SUBSTR(hash, 1, 3), '-8', SUBSTR(hash, 4, 3), '-', SUBSTR(hash, 7, 12))`;

/** Writes the list of copies. The templates themselves are payments too. */
export async function listCopies(
  admin: Database,
  templates: readonly Template[],
  { payments, open, beside }: Plan,
): Promise<void> {
  const begun = beside === undefined ? ofThreeMonths : ofThisHour;
  await admin.raw(`DROP DATABASE IF EXISTS ${helpers}`);
  await admin.raw(`CREATE DATABASE ${helpers} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
  await countTo(admin, payments);
  await admin.raw(`CREATE TABLE ${helpers}.templates (source_id ${id} PRIMARY KEY, shape INT, nth INT)`);
  await admin.raw(`CREATE TABLE ${helpers}.unsorted (payment_id ${id}, source_id ${id}, ago_s INT NOT NULL)`);
  const shapes = [...new Set(templates.map(({ shape }) => shape))];
  const counts = [...countsOf(shapes, false, payments - open), ...countsOf(shapes, true, open)];
  for (const [number, [shape, wanted]] of counts.entries()) {
    const sources = templates.filter((template) => template.shape === shape);
    for (const [nth, { paymentId }] of sources.entries()) {
      await admin.raw(`INSERT INTO ${helpers}.templates VALUES (?, ?, ?)`, [paymentId, number, nth]);
    }
    const count = Math.max(0, wanted - sources.length);
    const within = begun[shape.isOpen ? 'open' : 'ended'];
    await admin.raw(
      `INSERT INTO ${helpers}.unsorted
       SELECT ${copiedId}, source_id, ago_s FROM (
         SELECT source_id, ago_s, MD5(CONCAT(source_id, n, '/', ${beside ?? 0})) AS hash,
                LPAD(LOWER(HEX(CAST(UNIX_TIMESTAMP(created_at - INTERVAL ago_s SECOND) * 1000 AS UNSIGNED))), 12, '0') AS hex
         FROM (
           SELECT t.source_id, p.created_at, n.n, ${agoOfNth(within, count)} AS ago_s
           FROM ${helpers}.numbers n
           JOIN ${helpers}.templates t ON t.shape = ? AND t.nth = MOD(n.n, ?)
           JOIN payments p ON p.payment_id = t.source_id
           WHERE n.n < ?
         ) begun
       ) named`,
      [number, sources.length, count],
    );
  }
  await admin.raw(
    `CREATE TABLE ${helpers}.copies (
       k INT AUTO_INCREMENT PRIMARY KEY, payment_id ${id}, source_id ${id}, ago_s INT NOT NULL, first_entry_id BIGINT NOT NULL)
     AUTO_INCREMENT = ${(beside ?? 0) + 1}`,
  );
  await admin.raw(
    `INSERT INTO ${helpers}.copies (payment_id, source_id, ago_s, first_entry_id)
     SELECT payment_id, source_id, ago_s, (SELECT MAX(entry_id) + 1 FROM ledger_entries) - ${(beside ?? 0) * entriesEach}
     FROM ${helpers}.unsorted ORDER BY payment_id`,
  );
}

/** Each round doubles them. */
async function countTo(admin: Database, most: number): Promise<void> {
  await admin.raw(`CREATE TABLE ${helpers}.numbers (n INT PRIMARY KEY)`);
  await admin.raw(`INSERT INTO ${helpers}.numbers VALUES (0)`);
  for (let made = 1; made < most; made *= 2) {
    await admin.raw(`INSERT INTO ${helpers}.numbers SELECT n + ${made} FROM ${helpers}.numbers`);
  }
}

interface ColumnRow {
  name: string;
  type: string;
  extra: string;
}

export async function columnsOf(admin: Database, table: string): Promise<Column[]> {
  const [rows] = (await admin.raw(
    `SELECT column_name AS name, data_type AS type, extra AS extra FROM information_schema.columns
     WHERE table_schema = DATABASE() AND table_name = ? ORDER BY ordinal_position`,
    [table],
  )) as unknown as [ColumnRow[]];
  return rows.map(({ name, type, extra }) => ({
    name,
    type,
    isGenerated: /auto_increment|generated/i.test(extra),
  }));
}
