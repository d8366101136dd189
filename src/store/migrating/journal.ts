/** Stores which migrations were applied, and the progress of the current one. */
import type { Migration, Statements } from '../migrations/migration';

/** The first table has the name and form of knex's list, by which `knex migrate:list` and unreleased versions know it. */
const tables = [
  `CREATE TABLE IF NOT EXISTS knex_migrations (
    id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    name VARCHAR(255),
    batch INT,
    migration_time TIMESTAMP NULL,
    kind VARCHAR(16) NULL,
    needs VARCHAR(255) NULL
  ) ENGINE=InnoDB`,
  `CREATE TABLE IF NOT EXISTS migration_steps (
    name VARCHAR(255) NOT NULL PRIMARY KEY,
    step INT NOT NULL,
    is_done TINYINT NOT NULL,
    reached VARCHAR(255) NULL,
    noted_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP
  ) ENGINE=InnoDB`,
];

/** The progress of a migration. */
export interface Progress {
  /** The number of the last started step, from 1; 0 before the first. */
  step: number;
  isDone: boolean;
  /** For rewritten rows: the last key that is done. */
  reached: string | null;
}

export const untouched: Progress = { step: 0, isDone: true, reached: null };

export async function ensureJournal(session: Statements): Promise<void> {
  for (const table of tables) await session.raw(table);
}

/** Of each migration in progress: one row if a process was killed. */
export async function readProgress(session: Statements): Promise<Map<string, Progress>> {
  const [rows] = (await session.raw('SELECT name, step, is_done, reached FROM migration_steps')) as [
    { name: string; step: number; is_done: number; reached: string | null }[],
  ];
  return new Map(
    rows.map(({ name, step, is_done: done, reached }) => [name, { step, isDone: done === 1, reached }]),
  );
}

export async function noteProgress(
  session: Statements,
  name: string,
  { step, isDone, reached }: Progress,
): Promise<void> {
  await session.raw(
    `INSERT INTO migration_steps (name, step, is_done, reached) VALUES (?, ?, ?, ?)
     ON DUPLICATE KEY UPDATE step = VALUES(step), is_done = VALUES(is_done), reached = VALUES(reached)`,
    [name, step, isDone ? 1 : 0, reached],
  );
}

export async function forgetProgress(session: Statements, name: string): Promise<void> {
  await session.raw('DELETE FROM migration_steps WHERE name = ?', [name]);
}

/** In this order, so that an applied migration is never started again. */
export async function noteApplied(session: Statements, name: string, migration: Migration): Promise<void> {
  await session.raw(
    `INSERT INTO knex_migrations (name, batch, migration_time, kind, needs)
     SELECT ?, COALESCE(MAX(batch), 0) + 1, CURRENT_TIMESTAMP, ?, ? FROM knex_migrations`,
    [name, migration.kind, migration.kind === 'contract' ? migration.needs : null],
  );
  await forgetProgress(session, name);
}
