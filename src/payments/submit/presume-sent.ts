import type { Transaction } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import { inChunks } from '../../store/in-chunks';
import { applyTransition } from '../transition/transition';
import type { PaymentsContext } from '../../rail-kit/context';
import { isPossiblySent, waitedInCopy } from '../read/on-hold';
import { isPatient } from './put-on-hold';
import { instructing, lastSubmission, sentAttempt } from './write-attempt';

/**
 * Marks each payment that was unsent in a restored copy as sent at the time of the copy. What happened since is lost,
 * so its state is unknown, and "never started" would be wrong. It continues like a payment of a lost process: by a
 * poll. A payment of a bulk, on hold, or in a refund queue may still wait, and the gate decides. Such a payout gets a
 * note, so that neither a timeout nor its merchant can end it as "never sent" while the gate holds it.
 * @param at the time of the copy.
 * @returns how many there are.
 */
export async function presumeSent(trx: Transaction, context: PaymentsContext, at: Date): Promise<number> {
  const found = await trx('payments')
    .where({ is_final: 0 })
    .where((some) => {
      void some.where({ state: 'initiating' }).orWhere((unbegun) => {
        void unbegun.where({ state: 'received' }).whereNot({ kind: 'refund' });
      });
    })
    .select<Pick<PaymentRow, 'payment_id'>[]>('payment_id');
  let presumed = 0;
  for (const some of inChunks(found)) {
    const ids = some.map(({ payment_id: id }) => id);
    const payments: PaymentRow[] = await trx('payments').whereIn('payment_id', ids).forUpdate();
    for (const payment of payments) {
      if (await presume(trx, context, payment, at)) presumed += 1;
    }
  }
  return presumed;
}

async function presume(
  trx: Transaction,
  context: PaymentsContext,
  payment: PaymentRow,
  at: Date,
): Promise<boolean> {
  const { payment_id: id, kind, state, details } = payment;
  if (state === 'received' && isPatient(payment)) {
    if (kind === 'payout') {
      const noted = JSON.stringify({ ...details, ...waitedInCopy(at) });
      await trx('payments')
        .where({ payment_id: id })
        .update({ details: noted as never });
    }
    return false;
  }
  const last = state === 'received' ? undefined : await lastSubmission(trx, id);
  // An attempt without an answer is polled anyway.
  if (last?.state === 'sent') return false;
  if (state === 'received') {
    const moved = await applyTransition(trx, context, payment, {
      to: 'initiating',
      cause: 'restored',
      evidence: `the state of the provider at ${at.toISOString()}; the payment may have been sent since`,
    });
    if (!moved) return false;
  }
  // The account may have been stopped at the time of the copy, so nobody sent it then: it gets the date of the
  // attempt before.
  const presumed = sentAttempt(id, instructing, (last?.n ?? 0) + 1, { at: last?.sent_at ?? at });
  await trx('attempts').insert(presumed);
  return true;
}

/**
 * Starts a payout that is on hold because it may have been paid before the restore. The caller has proof that it was
 * paid. No attempt is written with it: our books do not have the attempt that paid it.
 * @returns the payment as it is now, or undefined where it is not on hold for that reason, or not any more.
 */
export async function presumePaid(
  trx: Transaction,
  context: PaymentsContext,
  paymentId: string,
  evidence: string,
): Promise<PaymentRow | undefined> {
  // In the same lock order as a process that would send it.
  const hold = await trx('payout_holds').where({ payment_id: paymentId }).forUpdate().first();
  const payment = await trx('payments').where({ payment_id: paymentId }).forUpdate().first();
  if (payment?.kind !== 'payout' || payment.state !== 'received') return undefined;
  const isProbablyPaid = hold?.reason === 'looks_paid' && hold.released_at === null;
  if (!isProbablyPaid && !isPossiblySent(payment)) return undefined;
  const moved = await applyTransition(trx, context, payment, {
    to: 'initiating',
    cause: 'restored',
    evidence,
  });
  return moved?.payment;
}
