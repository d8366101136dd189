import type { Database, Transaction } from '../store/database';
import { inTransaction } from '../store/transaction';

/**
 * Runs `work` in one transaction while nobody else judges this provider's lines, keeps some, or decides about their money:
 * two runs at once come one after the other, and each sees what the other has left.
 */
export async function inTurn<T>(
  db: Database,
  provider: string,
  work: (trx: Transaction) => Promise<T>,
): Promise<T> {
  const known = await db('reconciliation_turns').where({ provider }).first();
  if (!known) await db('reconciliation_turns').insert({ provider }).onConflict().ignore();
  return inTransaction(db, async (trx) => {
    const turn = await trx('reconciliation_turns').where({ provider }).forUpdate().first();
    if (!turn) throw new Error(`the lines of ${provider} cannot be locked`);
    return work(trx);
  });
}
