/**
 * Payouts on hold from their creation, until a time or until an operator releases them. The gate (payout-barrier.ts) does not let them be
 * sent before.
 */
import { recordAction, holdRows, rowChanged, type RecordLine } from '../users/audit-log';
import type { Database } from '../store/database';
import type { PaymentRow, PayoutHoldRow } from '../store/tables';
import { inTransaction } from '../store/transaction';

export type WaitingPayout = PayoutHoldRow &
  Pick<PaymentRow, 'merchant_id' | 'rail' | 'provider' | 'currency' | 'requested_minor' | 'created_at'>;

/** Payouts on hold, oldest first. */
export function listWaiting(db: Database, limit: number): Promise<WaitingPayout[]> {
  return db('payout_holds as hold')
    .join('payments as payment', 'payment.payment_id', 'hold.payment_id')
    .whereNull('hold.released_at')
    .where({ 'payment.is_final': 0 })
    .whereIn('payment.state', ['received', 'initiating'])
    .whereRaw('(hold.until_at IS NULL OR hold.until_at > UTC_TIMESTAMP(3))')
    .orderBy('hold.held_at')
    .limit(limit)
    .select<WaitingPayout[]>(
      'hold.*',
      'payment.rail',
      'payment.provider',
      'payment.currency',
      'payment.requested_minor',
      'payment.created_at',
    );
}

export type Release =
  /** The payout continues by itself. */
  | { kind: 'released'; hold: PayoutHoldRow }
  /** Another operator released it before. */
  | { kind: 'released_before'; hold: PayoutHoldRow }
  | { kind: 'not_held' }
  /** The payout has already ended and is not sent. */
  | { kind: 'ended'; state: PaymentRow['state'] };

/** Releases one payout. A merchant's API key cannot do this: only an operator can. */
export function releasePayout(
  db: Database,
  paymentId: string,
  { by, note, record }: { by: string; note: string; record?: RecordLine },
): Promise<Release> {
  return inTransaction(db, async (trx): Promise<Release> => {
    // The same order of locks as for sending. With them, nobody can cancel or fail the payout at the same time.
    const hold = await trx('payout_holds').where({ payment_id: paymentId }).forUpdate().first();
    const payment = await trx('payments').where({ payment_id: paymentId }).forUpdate().first();
    if (!payment || !hold) return { kind: 'not_held' };
    if (hold.released_at !== null) return { kind: 'released_before', hold };
    if (payment.is_final === 1) return { kind: 'ended', state: payment.state };
    await holdRows(trx, 'payout_holds', paymentId);
    await trx('payout_holds')
      .where({ payment_id: paymentId })
      .update({ released_by: by, released_at: trx.raw<Date>('UTC_TIMESTAMP(3)'), note });
    await rowChanged(trx, 'payout_holds', paymentId);
    const line = { subject: { kind: 'payment', id: paymentId }, details: { reason: hold.reason, note } };
    await (record ? record(trx, line) : recordAction(trx, { by, action: 'payout.release', ...line }));
    return { kind: 'released', hold };
  });
}
