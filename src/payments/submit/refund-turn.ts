/** A provider takes one refund of a deposit at a time: the others wait for their turn, and not unseen. */
import type { Database } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import { askAgainLater } from '../read/ask-again-later';
import { openCase } from '../../controls/cases';
import { msSince } from '../read/payment-clock';

/** A refund that has not begun for so long is a person's question. */
const longestMs = 3_600_000;

/** @returns after how many milliseconds the refund asks again. */
export async function waitForTurn(db: Database, payment: PaymentRow): Promise<number> {
  await askPersonWhenLate(db, payment);
  return askAgainLater(db, payment);
}

/** Asks a person about a refund that has not begun, be it for the one ahead of it or for lack of a workflow. */
export async function askPersonWhenLate(db: Database, payment: PaymentRow): Promise<void> {
  if (msSince(payment, payment.created_at) <= longestMs) return;
  const detail = `not begun since ${payment.created_at.toISOString()}`;
  await openCase(db, payment.payment_id, { reason: 'refund_waits', detail });
}
