/** What is asked of the database so often that an answer may be a moment old. */
import type { Log } from '../domain/log';
import type { Database } from './database';

interface Known<T> {
  at: number;
  answer: Promise<T[]>;
}

/**
 * @param find what to ask, at most once in `forMs` milliseconds by each process.
 * @param what it is, for the log.
 * @returns the same, which tells what was known before where the database cannot be asked: nothing, at first.
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
      log.warn(`it could not be asked ${what}`, { error });
      return before?.answer ?? [];
    });
    knownOf.set(db, { at: performance.now(), answer });
    return answer;
  };
}
