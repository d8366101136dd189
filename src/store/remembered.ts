/** Caches frequent database queries for a moment. */
import type { Log } from '../domain/log';
import type { Database } from './database';

interface Known<T> {
  at: number;
  answer: Promise<T[]>;
}

/**
 * @param find the query; each process runs it at most once in `forMs` milliseconds.
 * @param what its name, for the log.
 * @returns the same function with a cache. If the database is down, it returns the last answer: at first, an empty one.
 */
export function remembered<T>(
  find: (db: Database) => Promise<T[]>,
  { forMs, what }: { forMs: number; what: string },
): (asking: { db: Database; log: Log }) => Promise<T[]> {
  const knownOf = new WeakMap<Database, Known<T>>();
  return ({ db, log }) => {
    const before = knownOf.get(db);
    if (before && performance.now() - before.at < forMs) return before.answer;
    const answer = find(db).catch((error: unknown) => {
      log.warn(`could not be read: ${what}`, { error });
      return before?.answer ?? [];
    });
    knownOf.set(db, { at: performance.now(), answer });
    return answer;
  };
}
