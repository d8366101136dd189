import type { Database, Transaction } from '../store/database';
import { inTransaction } from '../store/transaction';

const lockWaitTimeout = 1205;

/** Somebody else has had the turn for as long as anybody waits: nothing was done in this one. */
export class TurnTaken extends Error {
  /** As the database says it, so that it is tried again like any lock. */
  readonly errno = lockWaitTimeout;

  constructor(provider: string, cause: unknown) {
    super(`A statement of ${provider} is being brought in, or compared with our books; try again.`, {
      cause,
    });
    this.name = 'TurnTaken';
  }
}

/**
 * Runs `work` in one transaction while nobody else judges this provider's lines, keeps some, or decides about their money:
 * two runs at once come one after the other, and each sees what the other has left.
 * @throws TurnTaken
 */
export async function inTurn<T>(
  db: Database,
  provider: string,
  work: (trx: Transaction) => Promise<T>,
): Promise<T> {
  const known = await db('reconciliation_turns').where({ provider }).first();
  if (!known) await db('reconciliation_turns').insert({ provider }).onConflict().ignore();
  return inTransaction(db, async (trx) => {
    await take(trx, provider);
    return work(trx);
  });
}

async function take(trx: Transaction, provider: string): Promise<void> {
  try {
    const turn = await trx('reconciliation_turns').where({ provider }).forUpdate().first();
    if (!turn) throw new Error(`the lines of ${provider} cannot be locked`);
  } catch (error) {
    if ((error as { errno?: number }).errno === lockWaitTimeout) throw new TurnTaken(provider, error);
    throw error;
  }
}
