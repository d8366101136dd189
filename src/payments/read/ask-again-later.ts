import type { Database } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import { msSince } from './payment-clock';

/** What waits to be begun asks ever more rarely: after a tenth of the time it has waited, within these. */
const ask = { share: 0.1, soonestMs: 500, latestMs: 60_000 };
/** By when it must have asked again; so much sooner is early enough to write that down. */
const look = { withinMs: 300_000, earlyMs: 120_000 };

/**
 * Plans when a payment that cannot be begun yet asks again, so that nobody else sees to it meanwhile.
 * @param noted details that stay with it.
 * @returns after how many milliseconds.
 */
export async function askAgainLater(
  db: Database,
  payment: PaymentRow,
  noted: Record<string, string> = {},
): Promise<number> {
  const { details } = payment;
  const planned = payment.next_look_at?.getTime() ?? 0;
  const isNews = Object.entries(noted).some(([name, value]) => details[name] !== value);
  if (isNews || payment.wakes > 0 || planned < Date.now() + look.earlyMs) {
    await db('payments')
      .where({ payment_id: payment.payment_id, state: payment.state })
      .update({
        next_look_at: new Date(Date.now() + look.withinMs),
        wakes: 0,
        ...(isNews && { details: JSON.stringify({ ...details, ...noted }) as never }),
      });
  }
  const waitedMs = msSince(payment, payment.created_at);
  return Math.max(ask.soonestMs, Math.min(ask.latestMs, waitedMs * ask.share));
}
