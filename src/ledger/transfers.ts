import { v7 as uuid } from 'uuid';
import { PaymentError, type ErrorCode } from '../domain/errors';
import type { Database } from '../store/database';
import { inTransaction, type Alongside } from '../store/transaction';
import { openAccount, type AccountKey } from './accounts';
import { postEntry } from './post-entry';

export interface Transfer {
  from: AccountKey;
  to: AccountKey;
  amountMinor: bigint;
  /** Who did it and why: an operator's entry is never without a reason. */
  reason: string;
  whenShort: ErrorCode;
  alongside?: Alongside;
}

/** Moves money between two accounts of one currency for an operator. @returns the id of the transfer. */
export async function transfer(
  db: Database,
  { from, to, amountMinor, reason, whenShort, alongside }: Transfer,
): Promise<string> {
  if (amountMinor <= 0n)
    throw new PaymentError('INVALID_AMOUNT', { message: 'amount must be more than zero' });
  if (reason.trim() === '') throw new PaymentError('VALIDATION_FAILED', { message: 'a reason is required' });
  const [source, destination] = await Promise.all([openAccount(db, from), openAccount(db, to)]);
  const id = uuid();
  await inTransaction(db, async (trx) => {
    await postEntry(trx, {
      source: { type: 'transfer', id, leg: 'move' },
      reason,
      whenShort,
      lines: [
        { account: source, amountMinor: -amountMinor },
        { account: destination, amountMinor },
      ],
    });
    await alongside?.(trx);
  });
  return id;
}
