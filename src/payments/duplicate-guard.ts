import { createHash } from 'node:crypto';
import { PaymentError } from '../domain/errors';
import type { PaymentState } from '../domain/payment';
import type { Transaction } from '../store/database';
import { duplicateKeyOf } from '../store/transaction';

/** What makes two requests the same payment, and for how long a second one is refused. */
export interface Sameness {
  parts: (string | null)[];
  windowMs: number;
}

/** After these ends the merchant is told to let the customer try again. */
const retryable: readonly (PaymentState | undefined)[] = ['failed', 'cancelled', 'timed_out', undefined];

/**
 * Refuses the same payment twice within a moment: a customer would be charged twice for a double click.
 * @throws PaymentError DUPLICATE_PAYMENT with the id of the first.
 */
export async function refuseDuplicate(trx: Transaction, paymentId: string, same: Sameness): Promise<void> {
  const guardKey = createHash('sha256').update(JSON.stringify(same.parts)).digest();
  const mine = { payment_id: paymentId, until_at: new Date(Date.now() + same.windowMs) };
  try {
    await trx('duplicate_guards').insert({ guard_key: guardKey, ...mine });
    return;
  } catch (error) {
    if (duplicateKeyOf(error) === undefined) throw error;
  }
  const guard = await trx('duplicate_guards').where({ guard_key: guardKey }).forUpdate().first();
  if (guard && guard.until_at.getTime() > Date.now()) {
    const first = await trx('payments').where({ payment_id: guard.payment_id }).first('state');
    if (!retryable.includes(first?.state)) {
      throw new PaymentError('DUPLICATE_PAYMENT', { extra: { payment_id: guard.payment_id } });
    }
  }
  await trx('duplicate_guards').where({ guard_key: guardKey }).update(mine);
}
