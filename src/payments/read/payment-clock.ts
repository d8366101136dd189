/**
 * A payment's age. Everything that is written down has the real time, in live and in the sandbox. What the sandbox may
 * move is the age of what is open: `malipo sandbox advance` makes a payment older, and all that depends on its age asks
 * here. Ages are told on the payment's own clock: the real time, and what the sandbox has let pass for it until then.
 */
import type { Database } from '../../store/database';
import type { PaymentRow } from '../../store/tables';

type Clocked = Pick<PaymentRow, 'clock_ahead_ms'>;
export type Accepted = Pick<PaymentRow, 'created_at' | 'accepted_at' | 'accepted_ahead_ms'>;

/** Milliseconds since 1970 on the payment's own clock. */
export function nowOf({ clock_ahead_ms: aheadMs }: Clocked): number {
  return Date.now() + Number(aheadMs);
}

/** How old something is that happened at a moment of the payment's own clock, such as its creation, in milliseconds. */
export function msSince(payment: Clocked, at: Date): number {
  return nowOf(payment) - at.getTime();
}

/** When it was accepted, or else created, on the payment's own clock. A new payment's clock is not ahead. */
export function acceptanceOf({
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

/** What is written with a payment that is accepted now. */
export function acceptedNow({ clock_ahead_ms: accepted_ahead_ms }: Clocked) {
  return { accepted_at: new Date(), accepted_ahead_ms };
}

/** A moment of the payment's own clock, in real time. */
export function wallTimeOf({ clock_ahead_ms: aheadMs }: Clocked, atMs: number): Date {
  return new Date(atMs - Number(aheadMs));
}

/** How much time the sandbox has let pass in all, in milliseconds: the windows of limits move on by it. */
export async function sandboxAheadMs(db: Database): Promise<number> {
  const clock = await db('sandbox_clock').where({ id: 1 }).first('ahead_ms');
  return Number(clock?.ahead_ms ?? 0);
}
