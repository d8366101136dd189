import type { Transaction } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import { inChunks } from '../../store/in-chunks';
import { movePayment } from '../moves/move-payment';
import type { PaymentsContext } from '../rail/context';
import { isPatient } from './held-back';
import { instructing, sentAttempt } from './write-attempt';

/**
 * Writes down, of each payment that had not been begun when the database was copied, that it was begun then: what was
 * done with it since is lost, so that nobody knows, and nobody may call it "never started". It goes on as after a lost
 * process: it is looked for. What waited for long, or for its turn, may as well wait still, and is left to the gate.
 * @param at when the database was copied.
 * @returns how many there are.
 */
export async function presumeSent(trx: Transaction, context: PaymentsContext, at: Date): Promise<number> {
  const found = await trx('payments')
    .where({ is_final: 0, state: 'received' })
    .whereNot({ kind: 'refund' })
    .select<Pick<PaymentRow, 'payment_id'>[]>('payment_id');
  let presumed = 0;
  for (const some of inChunks(found)) {
    const ids = some.map(({ payment_id: id }) => id);
    const payments: PaymentRow[] = await trx('payments').whereIn('payment_id', ids).forUpdate();
    for (const payment of payments) {
      if (isPatient(payment)) continue;
      const moved = await movePayment(trx, context, payment, {
        to: 'initiating',
        cause: 'restored',
        evidence: `as it was at ${at.toISOString()}: it may have been sent since`,
      });
      if (!moved) continue;
      await trx('attempts').insert(sentAttempt(payment.payment_id, instructing, 1, { at }));
      presumed += 1;
    }
  }
  return presumed;
}
