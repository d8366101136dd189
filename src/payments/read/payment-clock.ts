/**
 * A payment's age. Every stored time is the real time, in live and in the sandbox. The sandbox can only change the
 * age of open payments: `malipo sandbox advance` makes a payment older, and all code that depends on its age uses
 * these functions. An age is measured on the payment's own clock: the real time plus the time that the sandbox has
 * added for it.
 */
import type { Database } from '../../store/database';
import type { PaymentRow } from '../../store/tables';

type Clocked = Pick<PaymentRow, 'clock_ahead_ms'>;
export type Accepted = Pick<PaymentRow, 'created_at' | 'accepted_at' | 'accepted_ahead_ms'>;

/** Milliseconds since 1970 on the payment's own clock. */
export function nowOf({ clock_ahead_ms: aheadMs }: Clocked): number {
  return Date.now() + Number(aheadMs);
}

/** Milliseconds since an event on the payment's own clock, such as its creation. */
export function msSince(payment: Clocked, at: Date): number {
  return nowOf(payment) - at.getTime();
}

/** When it was accepted, or else created, on the payment's own clock. A new payment's clock is not ahead. */
export function creationTimeOf({
  created_at: createdAt,
  accepted_at: at,
  accepted_ahead_ms: ahead,
}: Accepted): Date {
  return at ? new Date(at.getTime() + Number(ahead)) : createdAt;
}

/** When it ended, on the payment's own clock. */
export function endOf({
  finished_at: at,
  finished_ahead_ms: ahead,
}: Pick<PaymentRow, 'finished_at' | 'finished_ahead_ms'>): Date | null {
  return at && new Date(at.getTime() + Number(ahead));
}

/** The columns of a payment that is accepted now. */
export function acceptedNow({ clock_ahead_ms: accepted_ahead_ms }: Clocked) {
  return { accepted_at: new Date(), accepted_ahead_ms };
}

/** Converts a moment of the payment's own clock to real time. */
export function wallTimeOf({ clock_ahead_ms: aheadMs }: Clocked, atMs: number): Date {
  return new Date(atMs - Number(aheadMs));
}

/** The total time that the sandbox has added, in milliseconds. The windows of limits move by it. */
export async function sandboxAheadMs(db: Database): Promise<number> {
  const clock = await db('sandbox_clock').where({ id: 1 }).first('ahead_ms');
  return Number(clock?.ahead_ms ?? 0);
}
