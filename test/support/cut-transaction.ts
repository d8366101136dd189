/** A database handle of which one transaction is cut at its COMMIT, as a lost connection or a dying process leaves it. */
import type { Database, Transaction } from '../../src/store/database';

export interface Cut {
  /** Which of the transactions of the handle, from 1. */
  nth: number;
  /** Whether the server has the COMMIT. */
  moment: 'before' | 'after';
  /** `lost`: the caller is told that the connection is. `dies`: from then on nothing of its process reaches the database. */
  how: 'lost' | 'dies';
}

export function cutTransaction(db: Database, { nth, moment, how }: Cut): Database {
  let begun = 0;
  let isDead = false;
  function expectAlive(): void {
    if (isDead) throw new Error('the process is dead');
  }
  async function transaction(work: (trx: Transaction) => Promise<unknown>): Promise<unknown> {
    expectAlive();
    begun += 1;
    if (begun !== nth) return db.transaction(work);
    const lost = Object.assign(new Error('lost'), { code: 'ECONNRESET' });
    try {
      await db.transaction(async (trx) => {
        await work(trx);
        if (moment === 'before') throw lost;
      });
    } catch (error) {
      if (error !== lost) throw error;
    }
    isDead = how === 'dies';
    throw lost;
  }
  return new Proxy(db, {
    apply(target, self, given: unknown[]) {
      expectAlive();
      return Reflect.apply(target, self, given) as unknown;
    },
    get(target, name) {
      expectAlive();
      return name === 'transaction' ? transaction : (Reflect.get(target, name) as unknown);
    },
  });
}
