/** A migrator that dies after a number of statements, as by kill -9: the server only sees its connection close. */
import { openDatabase, type Database } from '../../../src/store/database';
import { applyMigrations, type ApplyOptions } from '../../../src/store/migrating/apply-migrations';

/** The statements of a run before its first step. */
export const overhead = 8;

class Killed extends Error {}

/** @returns whether it finished before. */
export async function appliesUntil(
  url: string,
  statements: number,
  options: ApplyOptions = {},
): Promise<boolean> {
  const db = openDatabase(url, { poolMax: 1, patienceMs: 30_000 });
  try {
    await applyMigrations(dyingAfter(db, statements), options);
    return true;
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
    return false;
  } finally {
    // Closes its connection, in any transaction.
    await db.destroy();
  }
}

interface Pinned {
  connection(given: unknown): Promise<unknown>;
}

function dyingAfter(db: Database, statements: number): Database {
  let left = statements;
  const dying = (real: Pinned): Pinned => ({
    async connection(given) {
      if (left <= 0) throw new Killed('killed');
      left -= 1;
      return real.connection(given);
    },
  });
  return new Proxy(db, {
    get: (target, name) =>
      name === 'raw'
        ? (...given: [string]) => dying(target.raw(...given))
        : (Reflect.get(target, name) as unknown),
  });
}
