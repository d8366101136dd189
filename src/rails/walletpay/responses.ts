import { amountAsNumber, type Currency } from '../../domain/money';
import { creditedOf } from '../../payments/credit';
import type { FxQuoteRow, PaymentRow } from '../../store/tables';
import { orderFailure, orderStatus, payoutFailure, payoutStatus } from './status';

const amountOf = (minor: string, currency: Currency) => amountAsNumber(BigInt(minor), currency);
const data = (fields: Record<string, unknown>) => ({ success: true, data: fields });

const asked = (payment: PaymentRow) => ({
  amount: amountOf(payment.requested_minor, payment.currency),
  currency: payment.currency,
});

/** The acceptance (specification, POST /api/v1/walletpay/create_order): always Pending, whatever happened since. */
export function orderBody(payment: PaymentRow): Record<string, unknown> {
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
export function captureBody(payment: PaymentRow): Record<string, unknown> {
  const { instructed_currency: currency } = payment;
  return data({
    capture_id: payment.details['capture_id'] ?? '',
    status: orderStatus(payment),
    amount: amountOf(payment.confirmed_minor ?? payment.instructed_minor, currency),
    currency,
    order_id: payment.order_id,
    walletpay_order_id: payment.provider_reference ?? '',
  });
}

export function orderStatusBody(payment: PaymentRow, quotes: FxQuoteRow[]): Record<string, unknown> {
  const { details, instructed_currency: currency, confirmed_minor: captured } = payment;
  const credited = captured === null ? undefined : creditedOf(payment);
  const failure = orderFailure(payment);
  return data({
    walletpay_order_id: payment.provider_reference ?? '',
    transaction_id: payment.payment_id,
    order_id: payment.order_id,
    approval_url: details['approval_url'] ?? '',
    status: orderStatus(payment),
    is_final: payment.is_final === 1,
    ...asked(payment),
    order_rate: rateOf(quotes, 'instruct'),
    capture_id: details['capture_id'] ?? null,
    capture_status: details['capture_status'] ?? null,
    captured_amount: captured === null ? null : amountOf(captured, currency),
    captured_currency: captured === null ? null : currency,
    credited_amount: credited ? amountAsNumber(credited.amountMinor, credited.currency) : null,
    credited_currency: credited?.currency ?? null,
    rate: rateOf(quotes, 'credit'),
    ...refundOf(payment),
    failure_code: failure.code,
    failure_message: failure.message,
    correction: payment.corrected === 1,
    ...momentsOf(payment),
  });
}

/** The latest refund's id, and all that went back so far, in the provider's currency. */
export function refundOf({ given_back_minor: minor, details, instructed_currency: currency }: PaymentRow) {
  if (minor === '0') return {};
  return {
    refund_id: details['refund_id'] ?? '',
    refund_amount: amountOf(minor, currency),
    refund_currency: currency,
  };
}

/** The acceptance of a payout (specification, POST /api/v1/walletpay/create_payout). */
export function payoutBody(payment: PaymentRow): Record<string, unknown> {
  return data({ payout_id: payment.payment_id, walletpay_batch_id: payment.provider_reference ?? '' });
}

export function payoutStatusBody(payment: PaymentRow, quotes: FxQuoteRow[]): Record<string, unknown> {
  const { details, instructed_currency: currency } = payment;
  const failure = payoutFailure(payment);
  return data({
    payout_id: payment.payment_id,
    walletpay_batch_id: payment.provider_reference ?? '',
    order_id: payment.order_id,
    status: payoutStatus(payment),
    is_final: payment.is_final === 1,
    ...asked(payment),
    sent_amount: amountOf(payment.instructed_minor, currency),
    sent_currency: currency,
    rate: rateOf(quotes, 'instruct'),
    recipient_email: details['recipient_email'] ?? '',
    item_status: details['item_status'] ?? null,
    failure_code: failure.code,
    failure_message: failure.message,
    ...momentsOf(payment),
  });
}

/** Decimal text; null where nothing was converted, or not yet. */
function rateOf(quotes: FxQuoteRow[], purpose: FxQuoteRow['purpose']): string | null {
  return quotes.find((quote) => quote.purpose === purpose)?.rate ?? null;
}

function momentsOf(payment: PaymentRow) {
  return { created_at: payment.created_at.toISOString(), updated_at: payment.updated_at.toISOString() };
}
