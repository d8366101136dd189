/** The running processes report themselves, and the migrations that they know. */
import type { Database } from './database';
import { newestMigration } from './migrations';
import type { Migrations, Statements } from './migrations/migration';

export type ProcessKind = 'api' | 'worker';

/** A process counts as running if it was seen within this time. */
const seenWithinSeconds = 60;

export async function showAlive(db: Database, processId: string, kind: ProcessKind): Promise<void> {
  await db.raw(
    `INSERT INTO processes (process_id, seen_at, kind, knows) VALUES (?, UTC_TIMESTAMP(3), ?, ?)
     ON DUPLICATE KEY UPDATE seen_at = UTC_TIMESTAMP(3)`,
    [processId, kind, newestMigration],
  );
}

export async function forgetProcess(db: Database, processId: string): Promise<void> {
  await db('processes').where({ process_id: processId }).delete();
}

/** Processes of one kind and version. */
export interface RunningProcesses {
  kind: string;
  /** The newest migration that they know; null if they do not report it. */
  knows: string | null;
  count: number;
}

/** @returns an empty list if the table of processes does not exist yet. */
export async function findRunningProcesses(db: Statements): Promise<RunningProcesses[]> {
  try {
    return await runningProcesses(db);
  } catch (error) {
    if (!notYet.has((error as { errno?: number }).errno ?? 0)) throw error;
    return [];
  }
}

const notYet = new Set([1146, 1044, 1142, 1054]);

export async function runningProcesses(db: Statements): Promise<RunningProcesses[]> {
  const [rows] = (await db.raw(
    `SELECT kind, knows, COUNT(*) AS count FROM processes
     WHERE seen_at > UTC_TIMESTAMP(3) - INTERVAL ${String(seenWithinSeconds)} SECOND
     GROUP BY 1, 2 ORDER BY 1, 2`,
  )) as [(Omit<RunningProcesses, 'count'> & { count: string })[]];
  return rows.map(({ count, ...alike }) => ({ ...alike, count: Number(count) }));
}

/**
 * Those that do not know a migration, or do not report it. A migration that is not in our list is newer than all that
 * are.
 */
export function withoutKnowledgeOf(
  migration: string,
  running: RunningProcesses[],
  migrations: Migrations,
): RunningProcesses[] {
  const names = Object.keys(migrations);
  return running.filter(
    ({ knows }) =>
      knows === null || (names.includes(knows) && names.indexOf(knows) < names.indexOf(migration)),
  );
}

/** For example `2 api at 055-more, 1 worker at 054-less`. */
export function runningText(running: RunningProcesses[]): string {
  return running
    .map(({ kind, knows, count }) => `${String(count)} ${kind} at ${knows ?? 'an unknown version'}`)
    .join(', ');
}
