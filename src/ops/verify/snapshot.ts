import type { Database, Transaction } from '../../store/database';

/**
 * Runs `work` on one unchanging view of the database, so that payments in flight never look half-booked. READ ONLY
 * makes it certain that a check changes nothing. Everywhere else sessions read committed data, so the connection gets
 * that back before it returns to the pool.
 */
export function inSnapshot<T>(db: Database, work: (trx: Transaction) => Promise<T>): Promise<T> {
  return db.transaction(async (trx) => {
    await trx.raw('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    try {
      // Ends the empty transaction around it and begins the one that counts, which knex then ends.
      await trx.raw('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY');
      return await work(trx);
    } finally {
      await trx.raw('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
    }
  });
}
