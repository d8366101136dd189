import type { Database, Transaction } from '../store/database';
import { inTransaction } from '../store/transaction';

const lockWaitTimeout = 1205;

/** Another process held the lock of the provider for too long. Nothing was done. */
export class ProviderLocked extends Error {
  /** The database's error number, so that the caller retries as for any lock. */
  readonly errno = lockWaitTimeout;

  constructor(provider: string, cause: unknown) {
    super(`Another process is storing or comparing a statement of ${provider}; try again.`, {
      cause,
    });
    this.name = 'TurnTaken';
  }
}

/**
 * Runs `work` in one transaction with the lock of the provider's lines. Runs that store, compare or decide lines of the same
 * provider wait for each other, and each sees the result of the other.
 * @throws TurnTaken
 */
export async function withProviderLock<T>(
  db: Database,
  provider: string,
  work: (trx: Transaction) => Promise<T>,
): Promise<T> {
  const known = await db('reconciliation_locks').where({ provider }).first();
  if (!known) await db('reconciliation_locks').insert({ provider }).onConflict().ignore();
  return inTransaction(db, async (trx) => {
    await take(trx, provider);
    return work(trx);
  });
}

async function take(trx: Transaction, provider: string): Promise<void> {
  try {
    const turn = await trx('reconciliation_locks').where({ provider }).forUpdate().first();
    if (!turn) throw new Error(`the lines of ${provider} cannot be locked`);
  } catch (error) {
    if ((error as { errno?: number }).errno === lockWaitTimeout) throw new ProviderLocked(provider, error);
    throw error;
  }
}
