/** A provider takes one refund of a deposit at a time: the others wait for their turn, and not unseen. */
import type { Database } from '../store/database';
import type { PaymentRow } from '../store/tables';
import { openCase } from './cases';
import { msSince } from './payment-clock';

/** It asks whether its turn has come ever more rarely: after a tenth of the time it has waited, within these. */
const ask = { share: 0.1, soonestMs: 500, latestMs: 60_000 };
/** By when it must have asked again; so much sooner is early enough to write that down. */
const look = { withinMs: 300_000, earlyMs: 120_000 };
/** A refund that has not begun for so long is a person's question. */
const longestMs = 3_600_000;

/** @returns after how many milliseconds the refund asks again. */
export async function waitForTurn(db: Database, payment: PaymentRow): Promise<number> {
  const waitedMs = msSince(payment, payment.created_at);
  await askPersonWhenLate(db, payment);
  const planned = payment.next_look_at?.getTime() ?? 0;
  if (payment.wakes > 0 || planned < Date.now() + look.earlyMs) {
    await db('payments')
      .where({ payment_id: payment.payment_id, state: 'received' })
      .update({ next_look_at: new Date(Date.now() + look.withinMs), wakes: 0 });
  }
  return Math.max(ask.soonestMs, Math.min(ask.latestMs, waitedMs * ask.share));
}

/** Asks a person about a refund that has not begun, be it for the one ahead of it or for lack of a workflow. */
export async function askPersonWhenLate(db: Database, payment: PaymentRow): Promise<void> {
  if (msSince(payment, payment.created_at) <= longestMs) return;
  const detail = `not begun since ${payment.created_at.toISOString()}`;
  await openCase(db, payment.payment_id, { reason: 'refund_waits', detail });
}
