import { errorResponses, type ErrorCode } from '../../domain/errors';
import { formatAmount } from '../../domain/money';
import { returnedFailure } from '../../payments/resolve/after-settlement';
import { feeInWords } from '../../payments/transition/fees';
import { isCancellable } from '../../payments/submit/put-on-hold';
import { holdFields, holdOf } from '../../payments/read/on-hold';
import { shownDuplicate } from '../../payments/read/duplicates';
import type { PaymentRow } from '../../store/tables';
import type { MomoAccepted, MomoCancelled, MomoProviders, MomoRefund, MomoStatus } from './description';
import type { Network } from './network';
import { momoWords, nextStep, paysOnPage } from './status';

const amountOf = (minor: string | null, { currency }: PaymentRow) =>
  formatAmount(BigInt(minor ?? 0), currency);

/** The confirmed amount, less what was returned. */
export function paidMinorOf({ state, confirmed_minor: minor }: PaymentRow): string | null {
  return state === 'returned' ? null : minor;
}

/** The amount that was returned after a payout or refund had succeeded. */
export function shownReturn(payment: PaymentRow): { returned_amount?: string } {
  return payment.state === 'returned' ? { returned_amount: amountOf(payment.requested_minor, payment) } : {};
}

/** The answer to a deposit or payout request (specification, POST /api/v1/momo/deposit and /payout). */
export function acceptedBody(payment: PaymentRow): MomoAccepted {
  const redirectUrl = payment.details['redirect_url'];
  return {
    success: true,
    transaction_id: payment.payment_id,
    status: statusOf(payment) === 'ENQUEUED' ? 'ENQUEUED' : 'ACCEPTED',
    provider: payment.provider,
    provider_name: payment.details['provider_name'] ?? '',
    provider_predicted: payment.details['provider_predicted'] === 'true',
    country: payment.details['country'] ?? '',
    currency: payment.currency,
    amount: amountOf(payment.requested_minor, payment),
    ...(payment.kind === 'payout' ? { cancellable: isCancellable(payment) } : {}),
    ...holdFields(payment),
    message: messageOf(payment, redirectUrl),
    ...(redirectUrl === undefined ? {} : { redirect_url: redirectUrl }),
  };
}

function messageOf(payment: PaymentRow, redirectUrl: string | undefined): string {
  if (payment.state === 'queued') {
    return 'Payout queued: the network cannot pay out now. The payout is pending, and you can cancel it until it starts';
  }
  if (holdOf(payment) !== undefined)
    return 'Payout queued: it is on hold. The payout is pending, and you can cancel it until it starts';
  if (payment.kind === 'payout') return 'Payout accepted. A callback reports the outcome';
  if (redirectUrl !== undefined)
    return 'Deposit accepted. Send the customer to redirect_url; a callback reports the outcome';
  return paysOnPage(payment)
    ? 'Deposit accepted. Its payment page is not ready: query the status until it has redirect_url, and send the customer there'
    : 'Deposit accepted. The customer gets a payment prompt; a callback reports the outcome';
}

/** A payout on hold is reported as queued, like one whose network cannot pay out now. */
function statusOf(payment: PaymentRow): MomoStatus['status'] {
  const isHeld = payment.kind === 'payout' && holdOf(payment) !== undefined;
  return momoWords[isHeld ? 'queued' : payment.state].status;
}

/** GET /api/v1/momo/status (specification, Resources, mobile money transaction). */
export function statusBody(payment: PaymentRow): MomoStatus {
  const redirectUrl = payment.is_final === 1 ? undefined : payment.details['redirect_url'];
  return {
    success: true,
    transaction_id: payment.payment_id,
    type: payment.kind,
    status: statusOf(payment),
    is_final: payment.is_final === 1,
    payment_status: momoWords[payment.state].paymentStatus,
    ...nextStep(payment),
    provider: payment.provider,
    country: payment.details['country'] ?? '',
    currency: payment.currency,
    requested_amount: amountOf(payment.requested_minor, payment),
    amount: amountOf(paidMinorOf(payment), payment),
    ...shownReturn(payment),
    ...feeInWords(payment),
    provider_transaction_id: payment.details['provider_transaction_id'] ?? '',
    account_reference: payment.account_reference ?? '',
    ...failureOf(payment),
    ...shownDuplicate(payment),
    ...(payment.kind === 'payout' ? { cancellable: isCancellable(payment) } : {}),
    ...holdFields(payment),
    ...(payment.parent_id === null ? {} : { deposit_transaction_id: payment.parent_id }),
    ...(redirectUrl === undefined ? {} : { redirect_url: redirectUrl }),
    sequence: payment.sequence,
    created_at: payment.created_at.toISOString(),
    updated_at: payment.updated_at.toISOString(),
  };
}

/**
 * Only set when the payment failed (specification, Resources, mobile money callback payload). For a rejected submission
 * and for returned money, the text is ours: the provider's text describes our account with it.
 */
export function failureOf(payment: PaymentRow): {
  failure_code: string | null;
  failure_message: string | null;
} {
  if (payment.state === 'returned') {
    return { failure_code: returnedFailure.code, failure_message: returnedFailure.message };
  }
  if (payment.state !== 'failed' && payment.state !== 'timed_out') {
    return { failure_code: null, failure_message: null };
  }
  const ours = payment.failure_code ?? '';
  return {
    failure_code: payment.failure_code ?? payment.result_code ?? 'UNSPECIFIED_FAILURE',
    failure_message: isErrorCode(ours)
      ? errorResponses[ours].message
      : (payment.result_text ?? 'The transaction failed'),
  };
}

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorResponses, code);

export function refundBody(refund: PaymentRow): MomoRefund {
  return {
    success: true,
    transaction_id: refund.payment_id,
    deposit_transaction_id: refund.parent_id,
    type: 'refund',
    status: 'ACCEPTED',
    amount: amountOf(refund.requested_minor, refund),
    currency: refund.currency,
    message: 'Refund accepted. A callback reports the outcome',
  };
}

export function cancelledBody(payment: PaymentRow): MomoCancelled {
  return {
    success: true,
    transaction_id: payment.payment_id,
    type: 'payout',
    status: 'CANCELLED',
    is_final: true,
    message: 'Payout cancelled; the amount was returned to your float',
  };
}

export function providersBody(networks: Network[]): MomoProviders {
  return {
    success: true,
    providers: networks.map((network) => ({
      provider: network.provider,
      provider_name: network.providerName,
      country: network.country,
      country_name: network.countryName,
      currency: network.currency,
      requires_redirect: network.requiresRedirect,
      requires_preauth: network.requiresPreauth,
      operations: Object.fromEntries(
        Object.entries(network.operations).map(([operation, limits]) => [
          operation,
          {
            min_amount: limits.minAmount,
            max_amount: limits.maxAmount,
            decimals: limits.decimals,
            status: limits.status,
          },
        ]),
      ),
    })),
  };
}
