/**
 * What is to be begun while its provider's account is stopped. Nothing is written down and nothing is sent: it waits,
 * and goes on by itself. Only a customer is not asked long after he wanted to pay: a deposit ends, for certain unsent,
 * also where the stop was lifted before anybody asked again.
 */
import type { PaymentRow } from '../../store/tables';
import { inTransaction } from '../../store/transaction';
import { askAgainLater } from '../record/ask-again-later';
import { isOfBulk } from '../record/of-bulk';
import type { PaymentsContext } from '../rail/context';
import { movePayment, prepareMove, type Move } from '../moves/move-payment';
import { msSince } from '../record/payment-clock';
import { lastInstruction, stillInitiating } from './write-attempt';

/** The detail of a payment that was ever held back: nobody else ends it because it has not begun. */
const heldBackDetail = 'held_back';
/** A deposit is not begun any more this long after it was asked for. */
const askCustomerWithinMs = 15_000;

function isHeldBack({ details }: Pick<PaymentRow, 'details'>): boolean {
  return details[heldBackDetail] !== undefined;
}

/** Whether its merchant was answered long ago, and counts on it however long its beginning takes. */
export function isPatient(payment: PaymentRow): boolean {
  return isOfBulk(payment) || (payment.kind !== 'deposit' && isHeldBack(payment));
}

/** What may be called off: nobody has been told of it, or its network has not begun it. */
export function isCancellable({
  kind,
  state,
  details,
}: Pick<PaymentRow, 'kind' | 'state' | 'details'>): boolean {
  if (kind !== 'payout') return false;
  return state === 'queued' || (isUnsent({ state }) && isHeldBack({ details }));
}

function isUnsent({ state }: Pick<PaymentRow, 'state'>): boolean {
  return state === 'received' || state === 'initiating';
}

/** Cancels what was held back and never sent. @returns false where it may have been sent, or was never held back. */
export async function cancelHeldBack(context: PaymentsContext, payment: PaymentRow): Promise<boolean> {
  if (!isUnsent(payment) || !isHeldBack(payment)) return false;
  return endUnsent(context, payment, { to: 'cancelled', cause: 'cancelled' });
}

/**
 * @param promptWithinMs of a deposit's life that its merchant still waits in.
 * @returns after how many milliseconds it asks again; 'too_late' for a deposit that is to end.
 */
export async function holdBack(
  { db }: PaymentsContext,
  payment: PaymentRow,
  promptWithinMs: number,
): Promise<number | 'too_late'> {
  const leftMs = leftMsOf(payment, promptWithinMs);
  if (leftMs <= 0) return 'too_late';
  return Math.min(leftMs, await askAgainLater(db, payment, { [heldBackDetail]: 'yes' }));
}

/** Whether it was held back for so long that its customer is not asked any more, though nothing stops it now. */
export function isTooLate(payment: PaymentRow, promptWithinMs: number): boolean {
  return isHeldBack(payment) && leftMsOf(payment, promptWithinMs) <= 0;
}

function leftMsOf(payment: PaymentRow, promptWithinMs: number): number {
  if (payment.kind !== 'deposit' || isOfBulk(payment)) return Infinity;
  return Math.min(askCustomerWithinMs, promptWithinMs) - msSince(payment, payment.created_at);
}

/** Ends what was never sent. @returns false where it was begun meanwhile, or is answered by now. */
export async function endUnsent(context: PaymentsContext, payment: PaymentRow, move: Move): Promise<boolean> {
  await prepareMove(context.db, payment, move.to);
  return inTransaction(context.db, async (trx) => {
    if (payment.state === 'initiating') {
      if (!(await stillInitiating(trx, payment.payment_id))) return false;
      if ((await lastInstruction(trx, payment.payment_id))?.state === 'sent') return false;
    }
    return (await movePayment(trx, context, payment, move)) !== undefined;
  });
}
