/** A database handle that cuts one of its transactions at the COMMIT, as a lost connection or a killed process does. */
import type { Database, Transaction } from '../../src/store/database';

export interface Cut {
  /** The number of the transaction on this handle, from 1. */
  nth: number;
  /** Whether the server receives the COMMIT. */
  moment: 'before' | 'after';
  /**
   * `lost`: the caller gets the error of a lost connection. `dies`: nothing more of its process reaches the database.
   */
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
