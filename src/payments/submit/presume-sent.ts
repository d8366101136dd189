import type { Transaction } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import { inChunks } from '../../store/in-chunks';
import { movePayment } from '../transition/transition';
import type { PaymentsContext } from '../../rail-kit/context';
import { mayHaveGone, waitedInCopy } from '../read/on-hold';
import { isPatient } from './put-on-hold';
import { instructing, lastInstruction, sentAttempt } from './write-attempt';

/**
 * Writes down, of each payment that had not been sent when the database was copied, that it was sent then: what was
 * done with it since is lost, so that nobody knows, and nobody may call it "never started". It goes on as after a lost
 * process: it is looked for. What waited for long, or for its turn, may as well wait still, and is left to the gate; of a
 * payout that is noted, so that neither time nor its merchant ends it as "never sent" while the gate has it.
 * @param at when the database was copied.
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
  const last = state === 'received' ? undefined : await lastInstruction(trx, id);
  // What has no answer is looked for anyway.
  if (last?.state === 'sent') return false;
  if (state === 'received') {
    const moved = await movePayment(trx, context, payment, {
      to: 'initiating',
      cause: 'restored',
      evidence: `as it was at ${at.toISOString()}: it may have been sent since`,
    });
    if (!moved) return false;
  }
  // Nobody may have sent it when the copy was made, because it was stopped then: it is dated as the one before.
  const presumed = sentAttempt(id, instructing, (last?.n ?? 0) + 1, { at: last?.sent_at ?? at });
  await trx('attempts').insert(presumed);
  return true;
}

/**
 * Begins a payout that waits because it may have been paid before the database was restored, for whoever can prove that it
 * was. No instruction is written with it: the one that paid it is in no book of ours.
 * @returns the payment as it is now, or undefined where it does not wait for that, or not any more.
 */
export async function presumePaid(
  trx: Transaction,
  context: PaymentsContext,
  paymentId: string,
  evidence: string,
): Promise<PaymentRow | undefined> {
  // As whoever would send it locks them.
  const hold = await trx('payout_holds').where({ payment_id: paymentId }).forUpdate().first();
  const payment = await trx('payments').where({ payment_id: paymentId }).forUpdate().first();
  if (payment?.kind !== 'payout' || payment.state !== 'received') return undefined;
  const looksPaid = hold?.reason === 'looks_paid' && hold.released_at === null;
  if (!looksPaid && !mayHaveGone(payment)) return undefined;
  const moved = await movePayment(trx, context, payment, { to: 'initiating', cause: 'restored', evidence });
  return moved?.payment;
}
