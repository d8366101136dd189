import { errorResponses, type ErrorCode } from '../../domain/errors';
import type { PaymentState } from '../../domain/payment';
import { returnedFailure } from '../../payments/evidence/came-back';
import type { PaymentRow } from '../../store/tables';

export type OrderStatus = 'Pending' | 'Completed' | 'Failed' | 'Refunded';
export type PayoutStatus = 'Pending' | 'Success' | 'Failed';

/** Our states in the words of the specification (States, wallet-checkout deposit and payout). */
const orderWords: Record<PaymentState, OrderStatus> = {
  received: 'Pending',
  initiating: 'Pending',
  pending: 'Pending',
  queued: 'Pending',
  processing: 'Pending',
  succeeded: 'Completed',
  refunded: 'Refunded',
  reversed: 'Refunded',
  returned: 'Failed',
  failed: 'Failed',
  cancelled: 'Failed',
  timed_out: 'Failed',
};

const payoutWords: Record<PaymentState, PayoutStatus> = {
  received: 'Pending',
  initiating: 'Pending',
  pending: 'Pending',
  queued: 'Pending',
  processing: 'Pending',
  succeeded: 'Success',
  refunded: 'Failed',
  reversed: 'Failed',
  returned: 'Failed',
  failed: 'Failed',
  cancelled: 'Failed',
  timed_out: 'Failed',
};

export function orderStatus({ state }: PaymentRow): OrderStatus {
  return orderWords[state];
}

export function payoutStatus({ state }: PaymentRow): PayoutStatus {
  return payoutWords[state];
}

export interface Failure {
  code: string | null;
  message: string | null;
}

const unclaimedMessage =
  'The recipient has no confirmed account with this address yet and was asked to claim the money. It is held for 30 days, then returned';

const none: Failure = { code: null, message: null };

/** Why an order failed: the provider's word, or that nobody paid in time. */
export function orderFailure(payment: PaymentRow): Failure {
  if (orderStatus(payment) !== 'Failed') return none;
  if (payment.state === 'timed_out') {
    return { code: 'ORDER_EXPIRED', message: 'The order was not approved and paid in time' };
  }
  return failureOf(payment);
}

/**
 * Why a payout failed: the provider's reason, such as RECEIVER_ACCOUNT_LOCKED, or UNCLAIMED_RETURNED; PAYOUT_RETURNED
 * where it had succeeded before. One that waits to be claimed has a reason too, though it has not failed.
 */
export function payoutFailure(payment: PaymentRow): Failure {
  if (payment.state === 'queued') {
    const told = payment.details['failure'] ?? '';
    return { code: told === '' ? 'RECEIVER_UNREGISTERED' : told, message: unclaimedMessage };
  }
  if (payment.state === 'returned') return returnedFailure;
  return payoutStatus(payment) === 'Failed' ? failureOf(payment) : none;
}

/**
 * Why a refund failed: our word where it says all, such as REFUND_EXCEEDS_REMAINDER, and where it is about our account;
 * else the provider's, such as TRANSACTION_DISPUTED.
 */
export function refundFailure(payment: PaymentRow): Failure {
  if (payment.state === 'returned') return returnedFailure;
  if (payoutStatus(payment) !== 'Failed') return none;
  const { result_code: theirs, failure_code: ours, result_text: text } = payment;
  const code = ours === null || ours === 'PROVIDER_REJECTED_REQUEST' ? (theirs ?? ours) : ours;
  return { code, message: isErrorCode(code) ? errorResponses[code].message : text };
}

const isErrorCode = (code: string | null): code is ErrorCode =>
  code !== null && Object.hasOwn(errorResponses, code);

function failureOf({ details, result_code, failure_code, result_text }: PaymentRow): Failure {
  return { code: result_code ?? details['failure'] ?? failure_code, message: result_text };
}
