import type { Database } from '../database';
import { migrations as ours } from '../migrations';
import type { Migrations, Statements } from '../migrations/migration';
import { alone } from './alone';
import { ensureJournal, forgetProgress, noteApplied, readProgress } from './journal';
import { onOneConnection } from './one-connection';
import { stepwise, waitShortly } from './stepwise';

export interface ApplyOptions {
  /** Those of this code, in their order, unless told. */
  migrations?: Migrations;
  /** For how long, in seconds, another migrator is waited for. */
  lockSeconds?: number;
  /** For how long, in seconds, a step waits for those who use its table. */
  patienceSeconds?: number;
  /** Before the first change, with the lock. */
  prepare?: (session: Statements) => Promise<void>;
}

/**
 * Applies what is pending, one after the other. What an earlier run has left half done goes on where it was: see
 * {@link stepwise}.
 * @returns the names of what was applied.
 */
export function applyMigrations(db: Database, options: ApplyOptions = {}): Promise<string[]> {
  const { migrations = ours, lockSeconds = 600, patienceSeconds = 30, prepare } = options;
  return onOneConnection(db, (session) =>
    alone(session, lockSeconds, async () => {
      await ensureJournal(session);
      const applied = await appliedNames(session);
      const progress = await readProgress(session);
      // Of one that was killed as soon as it was done.
      for (const name of progress.keys()) if (applied.has(name)) await forgetProgress(session, name);
      const pending = Object.entries(migrations).filter(([name]) => !applied.has(name));
      if (pending.length === 0) return [];
      await prepare?.(session);
      await waitShortly(session);
      for (const [name, migration] of pending) {
        const before = progress.get(name);
        await migration.up(stepwise(session, name, { patienceSeconds, ...(before && { before }) }));
        await noteApplied(session, name, migration);
      }
      return pending.map(([name]) => name);
    }),
  );
}

async function appliedNames(session: Statements): Promise<Set<string>> {
  const [rows] = (await session.raw('SELECT name FROM knex_migrations')) as [{ name: string }[]];
  return new Set(rows.map(({ name }) => name));
}
