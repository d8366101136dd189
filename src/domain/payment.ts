/** What a payment is, and which states it may pass through. The tables here are what `malipo verify` checks. */

/** deposit: money in. payout: money out of a float. refund: a deposit given back. */
export type PaymentKind = 'deposit' | 'payout' | 'refund';

/**
 * The states of every rail's payments. Each rail maps them to its own words at the edge.
 * - received: the row is written; no provider has heard of it.
 * - initiating: the provider call is written down and may have been sent.
 * - pending: the provider took it, or may have; the outcome is open.
 * - queued: a payout that waits for its network, or for its recipient to claim it; it may still be cancelled.
 * - processing: the provider says that it is under way; it can no longer be cancelled.
 * - succeeded: the confirmed amount is booked.
 * - failed, cancelled, timed_out: nothing was booked. A verified late success may still correct them.
 * - refunded, reversed: a booked deposit was given back, or taken back by the provider.
 * - returned: what went out as a payout or a refund came back whole, after it had succeeded.
 */
export const paymentStates = [
  'received',
  'initiating',
  'pending',
  'queued',
  'processing',
  'succeeded',
  'failed',
  'cancelled',
  'timed_out',
  'refunded',
  'reversed',
  'returned',
] as const;
export type PaymentState = (typeof paymentStates)[number];

/** Where each state may go next. Anything else is a fault that `verify` reports (check P8). */
export const exits: Record<PaymentState, readonly PaymentState[]> = {
  received: ['initiating', 'failed', 'cancelled'],
  initiating: ['pending', 'queued', 'processing', 'succeeded', 'failed', 'cancelled', 'timed_out'],
  pending: ['queued', 'processing', 'succeeded', 'failed', 'cancelled', 'timed_out'],
  queued: ['processing', 'succeeded', 'failed', 'cancelled'],
  processing: ['succeeded', 'failed', 'cancelled', 'timed_out'],
  succeeded: ['refunded', 'reversed', 'returned'],
  // Only money that demonstrably arrived leaves an unhappy end: it is credited once, as a correction.
  failed: ['succeeded'],
  cancelled: ['succeeded'],
  timed_out: ['succeeded', 'failed', 'cancelled'],
  // A deposit may be given back in several parts, and the seller may win a dispute: the provider pays it once more.
  refunded: ['refunded', 'reversed', 'succeeded'],
  reversed: ['refunded', 'reversed', 'succeeded'],
  // Whoever wants to pay it once more makes another payment.
  returned: [],
};

export const finalStates = [
  'succeeded',
  'failed',
  'cancelled',
  'timed_out',
  'refunded',
  'reversed',
  'returned',
] as const satisfies readonly PaymentState[];

export function isFinal(state: PaymentState): boolean {
  return (finalStates as readonly PaymentState[]).includes(state);
}

export const settledStates: readonly PaymentState[] = ['succeeded', 'refunded', 'reversed', 'returned'];

/** True once the money was booked, whatever has become of it since. */
export function isSettled(state: PaymentState): boolean {
  return settledStates.includes(state);
}

/** States from which `to` may be entered: the WHERE of every conditional update. */
export function entrancesOf(to: PaymentState): PaymentState[] {
  return paymentStates.filter((from) => exits[from].includes(to));
}

/** The public reason of a payment that ended before any provider heard of it. */
export const NOT_STARTED = 'NOT_STARTED';
/** The public reason of a payout that was held back for too long, and that no provider has heard of. */
export const NOT_RELEASED = 'NOT_RELEASED';
/** The reason of a payment nobody could tell the outcome of in time. */
export const OUTCOME_UNKNOWN = 'OUTCOME_UNKNOWN';
/** The public reason of a payout, or a refund, that came back after it had succeeded. */
export const PAYOUT_RETURNED = 'PAYOUT_RETURNED';

/** The ends of money that was to go out and, in the end, did not. */
export const notGone = ['failed', 'cancelled', 'returned'] as const satisfies readonly PaymentState[];

/** In the details of a payment: the amount and currency that arrived, where they are not booked, as a person has to decide. */
export const paidOtherwise = 'paid_otherwise';
