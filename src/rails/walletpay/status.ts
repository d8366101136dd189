import { errorResponses, type ErrorCode } from '../../domain/errors';
import { OUTCOME_UNKNOWN, type PaymentState } from '../../domain/payment';
import { returnedFailure } from '../../payments/resolve/after-settlement';
import { nextStepOf, shownNextStep, type StepsByKind } from '../../payments/read/next-step';
import type { PaymentRow } from '../../store/tables';
import { isBeingCaptured } from './providers/paypal/capture-issues';

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
  'The recipient has no confirmed account with this address yet and was asked to claim the money. The provider holds it for 30 days, then it is returned';

const none: Failure = { code: null, message: null };

/** Why an order failed: the provider's code, or that it was not paid in time. */
export function orderFailure(payment: PaymentRow): Failure {
  if (orderStatus(payment) !== 'Failed') return none;
  if (payment.state === 'timed_out') {
    return { code: 'ORDER_EXPIRED', message: 'The order was not approved and paid in time' };
  }
  return failureOf(payment);
}

/**
 * Why a payout failed: the provider's reason, such as RECEIVER_ACCOUNT_LOCKED, or UNCLAIMED_RETURNED; PAYOUT_RETURNED
 * if it had succeeded before. A payout that waits to be claimed has a reason too, though it has not failed.
 */
export function payoutFailure(payment: PaymentRow): Failure {
  if (payment.state === 'queued') {
    const reported = payment.details['failure'] ?? '';
    return { code: reported === '' ? 'RECEIVER_UNREGISTERED' : reported, message: unclaimedMessage };
  }
  if (payment.state === 'returned') return returnedFailure;
  return payoutStatus(payment) === 'Failed' ? failureOf(payment) : none;
}

/**
 * Why a refund failed: our code if it is precise, such as REFUND_EXCEEDS_REMAINDER, or if our account is the cause;
 * otherwise the provider's code, such as TRANSACTION_DISPUTED.
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

/** The next step of a buyer or recipient for each failure. */
export const walletpayNextSteps: StepsByKind = {
  deposit: {
    ORDER_EXPIRED: 'start_over',
    // The order was not approved in time: after an approval, the capture would have a result.
    [OUTCOME_UNKNOWN]: 'start_over',
    TRANSACTION_REFUSED: 'pay_another_way',
    PAYER_CANNOT_PAY: 'pay_another_way',
    PAYER_ACCOUNT_RESTRICTED: 'pay_another_way',
    PAYER_ACCOUNT_LOCKED_OR_CLOSED: 'pay_another_way',
    COMPLIANCE_VIOLATION: 'pay_another_way',
    TRANSACTION_LIMIT_EXCEEDED: 'pay_another_way',
    TRANSACTION_RECEIVING_LIMIT_EXCEEDED: 'ask_seller',
    TRANSACTION_BLOCKED_BY_PAYEE: 'ask_seller',
    PAYEE_BLOCKED_TRANSACTION: 'ask_seller',
    MAX_NUMBER_OF_PAYMENT_ATTEMPTS_EXCEEDED: 'pay_another_way',
    DOMESTIC_TRANSACTION_REQUIRED: 'pay_another_way',
    // Another order with the same id was paid: only the seller can find out which.
    DUPLICATE_INVOICE_ID: 'check_sms',
    AUTH_CAPTURE_NOT_ENABLED: 'ask_seller',
    CAPTURE_DECLINED: 'pay_another_way',
  },
  payout: {
    RECEIVER_UNREGISTERED: 'check_recipient',
    RECEIVER_ACCOUNT_LOCKED: 'check_recipient',
    UNCLAIMED_RETURNED: 'money_came_back',
    PAYOUT_RETURNED: 'money_came_back',
  },
  refund: {},
};

/** A buyer who has approved an order has nothing more to do, and a queued payout waits for its recipient. */
export function nextStep(payment: PaymentRow) {
  const isApproved = payment.details['capture_id'] !== undefined || isBeingCaptured(payment.details);
  return shownNextStep(
    nextStepOf(payment, walletpayNextSteps, {
      enter_pin: isApproved ? 'wait' : 'open_page',
      money_waits: 'claim_money',
    }),
  );
}
