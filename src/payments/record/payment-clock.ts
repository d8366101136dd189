/**
 * The time a payment lives in. It is the wall clock in live. The sandbox may move it forward, and all that depends on a
 * payment's age asks here; the times stored with a payment are those of its own clock, save `next_look_at`.
 */
import type { Database } from '../../store/database';
import type { PaymentRow } from '../../store/tables';

type Clocked = Pick<PaymentRow, 'clock_ahead_ms'>;

/** Milliseconds since 1970 by the payment's own clock. */
export function nowOf({ clock_ahead_ms: aheadMs }: Clocked): number {
  return Date.now() + Number(aheadMs);
}

/** How long ago something stored with the payment was. */
export function msSince(payment: Clocked, at: Date): number {
  return nowOf(payment) - at.getTime();
}

/** A moment of the payment's own clock, as the wall shows it. */
export function wallTimeOf({ clock_ahead_ms: aheadMs }: Clocked, atMs: number): Date {
  return new Date(atMs - Number(aheadMs));
}

/** How far the sandbox was moved in all: a new payment begins there, beside the simulated providers. */
export async function sandboxAheadMs(db: Database): Promise<number> {
  const clock = await db('sandbox_clock').where({ id: 1 }).first('ahead_ms');
  return Number(clock?.ahead_ms ?? 0);
}
