import type { Database, Transaction } from '../store/database';
import { rowsOf } from './check';

/**
 * Runs `work` on one unchanging view of the database, so that payments in flight never look half-booked. READ ONLY
 * makes it certain that a check changes nothing. Everywhere else sessions read committed data, so the connection gets
 * that back before it returns to the pool.
 * @param signal ends it at once, whatever it is at: its connection is killed, and nobody waits for it.
 */
export function inSnapshot<T>(
  db: Database,
  work: (trx: Transaction) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  return db.transaction(async (trx) => {
    const killed = await killedBy(signal, db, trx);
    await trx.raw('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    try {
      // Ends the empty transaction around it and begins the one that counts, which knex then ends.
      await trx.raw('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY');
      return await work(trx);
    } finally {
      killed.never();
      await trx.raw('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
    }
  });
}

async function killedBy(
  signal: AbortSignal | undefined,
  db: Database,
  trx: Transaction,
): Promise<{ never(): void }> {
  if (!signal) return { never: () => undefined };
  const [row] = await rowsOf<{ id: number }>(trx, 'SELECT CONNECTION_ID() AS id');
  const kill = () => void db.raw('KILL ?', [row?.id ?? 0]).catch(() => undefined);
  signal.throwIfAborted();
  signal.addEventListener('abort', kill, { once: true });
  return {
    never: () => {
      signal.removeEventListener('abort', kill);
    },
  };
}
