/** The kinds of payments, and the states that they may pass through. `malipo verify` checks these tables. */

/** deposit: money in. payout: money out of a float. refund: a deposit is given back. */
export type PaymentKind = 'deposit' | 'payout' | 'refund';

/**
 * The states of every rail's payments. Each rail maps them to its own words at the edge.
 * - received: the row is written; no provider has received it.
 * - initiating: the provider call is written and may have been sent.
 * - pending: the provider accepted it, or may have; the outcome is open.
 * - queued: a payout that waits for its network, or for its recipient to collect it; it may still be cancelled.
 * - processing: the provider reports that it is under way; it can no longer be cancelled.
 * - succeeded: the confirmed amount is booked.
 * - failed, cancelled, timed_out: nothing was booked. A verified late success may still correct them.
 * - refunded, reversed: a booked deposit was given back, or taken back by the provider.
 * - returned: a payout's or a refund's money came back whole, after it had succeeded.
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

/** The next states of each state. `verify` reports any other transition as a violation (check P8). */
export const exits: Record<PaymentState, readonly PaymentState[]> = {
  received: ['initiating', 'failed', 'cancelled'],
  initiating: ['pending', 'queued', 'processing', 'succeeded', 'failed', 'cancelled', 'timed_out'],
  pending: ['queued', 'processing', 'succeeded', 'failed', 'cancelled', 'timed_out'],
  queued: ['processing', 'succeeded', 'failed', 'cancelled'],
  processing: ['succeeded', 'failed', 'cancelled', 'timed_out'],
  succeeded: ['refunded', 'reversed', 'returned'],
  // Only money that demonstrably arrived leaves a failed end: it is credited once, as a correction.
  failed: ['succeeded'],
  cancelled: ['succeeded'],
  timed_out: ['succeeded', 'failed', 'cancelled'],
  // A deposit may be given back in several parts. The seller may also win a dispute, and the provider pays again.
  refunded: ['refunded', 'reversed', 'succeeded'],
  reversed: ['refunded', 'reversed', 'succeeded'],
  // A merchant who wants to pay it again creates another payment.
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

/** True once the money was booked, whatever happened to it since. */
export function isSettled(state: PaymentState): boolean {
  return settledStates.includes(state);
}

/** States from which `to` may be entered: the WHERE of every conditional update. */
export function entrancesOf(to: PaymentState): PaymentState[] {
  return paymentStates.filter((from) => exits[from].includes(to));
}

/** The public reason of a payment that ended before any provider received it. */
export const NOT_STARTED = 'NOT_STARTED';
/** The public reason of a payout that was on hold for too long, and that no provider has received. */
export const NOT_RELEASED = 'NOT_RELEASED';
/** The reason of a payment whose outcome was not reported in time. */
export const OUTCOME_UNKNOWN = 'OUTCOME_UNKNOWN';
/** The public reason of a payout, or a refund, that was returned after it had succeeded. */
export const PAYOUT_RETURNED = 'PAYOUT_RETURNED';

/**
 * A refund in these states does not count as ours: it was not sent, or we marked it as failed. If the provider paid it all the
 * same, it is booked as a refund by the provider.
 */
export const notOurRefund = ['received', 'failed', 'cancelled'] as const satisfies readonly PaymentState[];

/** The ends of outgoing payments whose money did not leave in the end. */
export const notGone = ['failed', 'cancelled', 'returned'] as const satisfies readonly PaymentState[];

/**
 * In the details of a payment: the amount and currency that arrived, where they are not booked because an operator
 * has to decide.
 */
export const paidOtherwise = 'paid_otherwise';
