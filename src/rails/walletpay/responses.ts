import { amountAsNumber, formatAmount, type Currency } from '../../domain/money';
import {
  shownCredit,
  refundAmounts,
  shownReturn,
  returnedTotals,
} from '../../payments/transition/reported-amounts';
import { shownFee } from '../../payments/transition/fees';
import { creationUnknown } from '../../payments/read/creation-errors';
import { holdFields } from '../../payments/read/on-hold';
import { shownDuplicate } from '../../payments/read/duplicates';
import type { FxQuoteRow, HoldRow, PaymentRow } from '../../store/tables';
import type {
  WalletCapture,
  WalletOrder,
  WalletOrderStatus,
  WalletPayout,
  WalletPayoutStatus,
  WalletRefund,
  WalletRefundStatus,
} from './answer-schemas';
import { nextStep, orderFailure, orderStatus, payoutFailure, payoutStatus, refundFailure } from './status';

const amountOf = (minor: string, currency: Currency) => amountAsNumber(BigInt(minor), currency);
const data = <T>(fields: T, message?: string) => ({
  success: true as const,
  ...(message === undefined ? {} : { message }),
  data: fields,
});

const asked = (payment: PaymentRow) => ({
  amount: amountOf(payment.requested_minor, payment.currency),
  currency: payment.currency,
});

/**
 * The answer to an order request (specification, POST /api/v1/walletpay/create_order): always Pending, whatever
 * happened since.
 * @throws PaymentError ACCEPTANCE_UNKNOWN for an open order without an approval page, where the buyer cannot go on. A
 * repeat gets the page once it is known.
 */
export function orderBody(payment: PaymentRow): WalletOrder {
  if (payment.details['approval_url'] === undefined && payment.is_final === 0)
    throw creationUnknown({ payment_id: payment.payment_id }, 'the approval page is not known yet');
  return data({
    walletpay_order_id: payment.provider_reference ?? '',
    transaction_id: payment.payment_id,
    order_id: payment.order_id,
    approval_url: payment.details['approval_url'] ?? '',
    status: 'Pending',
    ...asked(payment),
  });
}

/** The captured amount, in the provider's currency (specification, GET /api/v1/walletpay/capture). */
export function captureBody(payment: PaymentRow): WalletCapture {
  const { instructed_currency: currency } = payment;
  return data(
    {
      capture_id: payment.details['capture_id'] ?? '',
      status: orderStatus(payment),
      amount: amountOf(payment.confirmed_minor ?? payment.instructed_minor, currency),
      currency,
      order_id: payment.order_id,
      walletpay_order_id: payment.provider_reference ?? '',
    },
    orderStatus(payment) === 'Pending' ? pendingMessage(payment) : undefined,
  );
}

/** Why an order that may be captured is not Completed. */
function pendingMessage({ details }: PaymentRow): string {
  const why =
    details['capture_status'] === 'COMPLETED'
      ? 'The payment is captured but not booked yet'
      : details['capture_status'] === 'PENDING'
        ? 'The provider is still reviewing the payment'
        : 'The result of the capture is not known yet';
  return `Pending: ${why}. Credit your customer on Completed only; a webhook reports the outcome`;
}

export function orderStatusBody(
  payment: PaymentRow,
  quotes: FxQuoteRow[],
  hold: HoldRow | undefined,
): WalletOrderStatus {
  const { details, instructed_currency: currency, confirmed_minor: captured } = payment;
  const failure = orderFailure(payment);
  const isBeingCaptured = orderStatus(payment) === 'Pending' && details['capture_id'] !== undefined;
  const fields = {
    walletpay_order_id: payment.provider_reference ?? '',
    transaction_id: payment.payment_id,
    order_id: payment.order_id,
    approval_url: details['approval_url'] ?? '',
    status: orderStatus(payment),
    is_final: payment.is_final === 1,
    ...nextStep(payment),
    ...asked(payment),
    order_rate: rateOf(quotes, 'instruct'),
    capture_id: details['capture_id'] ?? null,
    capture_status: details['capture_status'] ?? null,
    captured_amount: captured === null ? null : amountOf(captured, currency),
    captured_currency: captured === null ? null : currency,
    ...shownCredit(payment),
    ...shownFee(payment),
    rate: rateOf(quotes, 'credit'),
    rounding_amount: roundingOf(quotes),
    ...refundOf(payment),
    ...heldOf(payment, hold),
    ...shownDuplicate(payment),
    failure_code: failure.code,
    failure_message: failure.message,
    correction: payment.corrected === 1,
    ...momentsOf(payment),
  };
  return data(fields, isBeingCaptured ? pendingMessage(payment) : undefined);
}

/**
 * The amount that is reserved in the wallet because the provider may reverse it, and its dispute; empty without a
 * reserve.
 */
function heldOf({ details }: PaymentRow, hold: HoldRow | undefined) {
  if (hold?.state !== 'open' || BigInt(hold.amount) === 0n) return {};
  const dispute = ['dispute_id', 'dispute_status', 'dispute_reason'].flatMap((name) => {
    const reported = details[name];
    return reported === undefined ? [] : [[name, reported]];
  });
  return {
    held_amount: amountOf(hold.amount, hold.currency),
    held_currency: hold.currency,
    ...(Object.fromEntries(dispute) as Record<string, string>),
  };
}

/** The latest refund's id, and the refunded amount. */
function refundOf(payment: PaymentRow) {
  return { ...refundIdOf(payment), ...refundAmounts(payment) };
}

export function refundIdOf(payment: PaymentRow) {
  const isBack = payment.confirmed_minor !== null && returnedTotals(payment).totalMinor > 0n;
  return isBack ? { refund_id: payment.details['refund_id'] ?? '' } : {};
}

/** The answer to a payout request (specification, POST /api/v1/walletpay/create_payout). */
export function payoutBody(payment: PaymentRow): WalletPayout {
  return data({
    payout_id: payment.payment_id,
    walletpay_batch_id: payment.provider_reference ?? '',
    ...holdFields(payment),
  });
}

export function payoutStatusBody(payment: PaymentRow, quotes: FxQuoteRow[]): WalletPayoutStatus {
  const { details, instructed_currency: currency } = payment;
  const failure = payoutFailure(payment);
  return data({
    payout_id: payment.payment_id,
    walletpay_batch_id: payment.provider_reference ?? '',
    order_id: payment.order_id,
    status: payoutStatus(payment),
    is_final: payment.is_final === 1,
    ...nextStep(payment),
    ...asked(payment),
    sent_amount: amountOf(payment.instructed_minor, currency),
    sent_currency: currency,
    ...shownFee(payment),
    rate: rateOf(quotes, 'instruct'),
    recipient_email: details['recipient_email'] ?? '',
    item_status: details['item_status'] ?? null,
    ...holdFields(payment),
    ...shownReturn(payment),
    failure_code: failure.code,
    failure_message: failure.message,
    correction: payment.corrected === 1,
    ...momentsOf(payment),
  });
}

/** The answer to a refund request, in the form of mobile money (specification, POST /api/v1/momo/refund). */
export function refundBody(refund: PaymentRow): WalletRefund {
  const debited = debitedOf(refund);
  return {
    success: true,
    transaction_id: refund.payment_id,
    deposit_transaction_id: refund.parent_id,
    order_id: refund.details['order_id'] ?? '',
    type: 'refund',
    status: 'ACCEPTED',
    amount: formatAmount(BigInt(refund.requested_minor), refund.currency),
    currency: refund.currency,
    debited_amount: formatAmount(debited.amountMinor, debited.currency),
    debited_currency: debited.currency,
    message: 'Refund accepted. A webhook reports the outcome',
  };
}

export function refundStatusBody(refund: PaymentRow): WalletRefundStatus {
  const failure = refundFailure(refund);
  return data({
    transaction_id: refund.payment_id,
    ...refundNames(refund),
    status: payoutStatus(refund),
    is_final: refund.is_final === 1,
    ...nextStep(refund),
    ...asked(refund),
    ...holdFields(refund),
    ...shownReturn(refund),
    failure_code: failure.code,
    failure_message: failure.message,
    correction: refund.corrected === 1,
    ...momentsOf(refund),
  });
}

/** The refund's order, the provider's id of it, and the debit from the wallet; also in its webhooks. */
export function refundNames(refund: PaymentRow) {
  const { amountMinor, currency } = debitedOf(refund);
  return {
    deposit_transaction_id: refund.parent_id,
    order_id: refund.details['order_id'] ?? '',
    refund_id: refund.provider_reference ?? '',
    debited_amount: amountAsNumber(amountMinor, currency),
    debited_currency: currency,
  };
}

function debitedOf({ currency, requested_minor, credited_currency, credited_minor }: PaymentRow) {
  return credited_currency === null
    ? { currency, amountMinor: BigInt(requested_minor) }
    : { currency: credited_currency, amountMinor: BigInt(credited_minor ?? 0) };
}

/** Decimal text; null without a conversion, or before it. */
function rateOf(quotes: FxQuoteRow[], purpose: FxQuoteRow['purpose']): string | null {
  return quotes.find((quote) => quote.purpose === purpose)?.rate ?? null;
}

/** The rounding that makes the credit equal to the ordered amount; null without a conversion. */
function roundingOf(quotes: FxQuoteRow[]): number | null {
  const credit = quotes.find(({ purpose }) => purpose === 'credit');
  return credit ? amountOf(credit.rounding_minor ?? '0', credit.quote) : null;
}

function momentsOf(payment: PaymentRow) {
  return {
    sequence: payment.sequence,
    created_at: payment.created_at.toISOString(),
    updated_at: payment.updated_at.toISOString(),
  };
}
