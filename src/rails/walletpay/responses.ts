import { amountAsNumber, formatAmount, type Currency } from '../../domain/money';
import { creditTold, refundTold, returnedTold, wentBackOf } from '../../payments/transition/reported-amounts';
import { feeTold } from '../../payments/transition/fees';
import { heldTold } from '../../payments/read/on-hold';
import { duplicateTold } from '../../payments/read/duplicates';
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

/** The acceptance (specification, POST /api/v1/walletpay/create_order): always Pending, whatever happened since. */
export function orderBody(payment: PaymentRow): WalletOrder {
  return data({
    walletpay_order_id: payment.provider_reference ?? '',
    transaction_id: payment.payment_id,
    order_id: payment.order_id,
    approval_url: payment.details['approval_url'] ?? '',
    status: 'Pending',
    ...asked(payment),
  });
}

/** What was captured, in the provider's currency (specification, GET /api/v1/walletpay/capture). */
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

/** Why an order that the provider has captured, or may have, is not Completed. */
function pendingMessage({ details }: PaymentRow): string {
  const why =
    details['capture_status'] === 'COMPLETED'
      ? 'The payment is captured and waits to be booked'
      : details['capture_status'] === 'PENDING'
        ? 'The provider still looks into the payment'
        : 'The provider has not said yet what became of the capture';
  return `Pending: ${why}. Credit your customer on Completed only; the outcome follows by webhook`;
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
    ...creditTold(payment),
    ...feeTold(payment),
    rate: rateOf(quotes, 'credit'),
    rounding_amount: roundingOf(quotes),
    ...refundOf(payment),
    ...heldOf(payment, hold),
    ...duplicateTold(payment),
    failure_code: failure.code,
    failure_message: failure.message,
    correction: payment.corrected === 1,
    ...momentsOf(payment),
  };
  return data(fields, isBeingCaptured ? pendingMessage(payment) : undefined);
}

/** What is held in the wallet because it may be taken back, and the dispute that it is held for; else nothing. */
function heldOf({ details }: PaymentRow, hold: HoldRow | undefined) {
  if (hold?.state !== 'open' || BigInt(hold.amount) === 0n) return {};
  const dispute = ['dispute_id', 'dispute_status', 'dispute_reason'].flatMap((name) => {
    const told = details[name];
    return told === undefined ? [] : [[name, told]];
  });
  return {
    held_amount: amountOf(hold.amount, hold.currency),
    held_currency: hold.currency,
    ...(Object.fromEntries(dispute) as Record<string, string>),
  };
}

/** The latest refund's id, and what went back. */
function refundOf(payment: PaymentRow) {
  return { ...refundIdOf(payment), ...refundTold(payment) };
}

export function refundIdOf(payment: PaymentRow) {
  const isBack = payment.confirmed_minor !== null && wentBackOf(payment).totalMinor > 0n;
  return isBack ? { refund_id: payment.details['refund_id'] ?? '' } : {};
}

/** The acceptance of a payout (specification, POST /api/v1/walletpay/create_payout). */
export function payoutBody(payment: PaymentRow): WalletPayout {
  return data({
    payout_id: payment.payment_id,
    walletpay_batch_id: payment.provider_reference ?? '',
    ...heldTold(payment),
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
    ...feeTold(payment),
    rate: rateOf(quotes, 'instruct'),
    recipient_email: details['recipient_email'] ?? '',
    item_status: details['item_status'] ?? null,
    ...heldTold(payment),
    ...returnedTold(payment),
    failure_code: failure.code,
    failure_message: failure.message,
    correction: payment.corrected === 1,
    ...momentsOf(payment),
  });
}

/** The acceptance of a refund, in the form of mobile money's (specification, POST /api/v1/momo/refund). */
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
    message: 'Refund accepted. The outcome follows by webhook',
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
    ...heldTold(refund),
    ...returnedTold(refund),
    failure_code: failure.code,
    failure_message: failure.message,
    correction: refund.corrected === 1,
    ...momentsOf(refund),
  });
}

/** Whose refund it is, what the provider calls it, and what the wallet gives for it; told in its webhooks, too. */
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

/** Decimal text; null where nothing was converted, or not yet. */
function rateOf(quotes: FxQuoteRow[], purpose: FxQuoteRow['purpose']): string | null {
  return quotes.find((quote) => quote.purpose === purpose)?.rate ?? null;
}

/** What the credit was rounded by so that the ordered amount is credited; null where nothing was converted for it. */
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
