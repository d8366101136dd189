import { PaymentError, invalid } from '../../domain/errors';
import { formatAmount, type Currency } from '../../domain/money';
import type { PaymentState } from '../../domain/payment';
import { convertMinor, convertMinorUp, smallestWorth } from '../../fx/convert';
import { findQuote, type Quote } from '../../fx/rates';
import type { OrderRequest } from '../../payments/create/order-once';
import { creationTimeOf, msSince } from '../../payments/read/payment-clock';
import { creditedOf, debitedForRefunds } from '../../payments/transition/credit';
import { holdKeysOf } from '../../payments/transition/money-effects';
import { refundsOf } from '../../payments/transition/own-refunds';
import { amountToRefund, checkRemainder } from '../../payments/create/refund-request';
import type { PaymentDraft } from '../../rail-kit/draft';
import type { Database, Transaction } from '../../store/database';
import type { MerchantRow, PaymentRow } from '../../store/tables';
import { preferredCurrency, type OrderInput, type PayoutInput } from './requests';

/** The only currency that both this service and the provider support. */
const providerCurrency = 'USD';
/**
 * Minor units. The minimum of an order is 1.00 USD (specification, Limits); a payout has the smallest amount that can
 * be sent.
 */
const orderMinorMin = 100n;
const payoutMinorMin = 1n;
/** When a merchant may retry a request that failed without a rate. */
const rateRetrySeconds = 60;

interface Instructed {
  instructedMinor: bigint;
  instructedCurrency: Currency;
  quote?: Quote;
}

/** A buyer pays at least the ordered amount; a recipient gets at most the amount from the float. */
const roundings = {
  deposit: { convert: convertMinorUp, least: orderMinorMin },
  payout: { convert: convertMinor, least: payoutMinorMin },
};

/** The amount for the provider: the requested amount, or its value at a current rate. */
async function instructed(
  db: Database,
  { amount, currency }: OrderInput,
  kind: keyof typeof roundings,
): Promise<Instructed> {
  const { convert, least } = roundings[kind];
  const quote = currency === providerCurrency ? undefined : await findQuote(db, currency, providerCurrency);
  if (currency !== providerCurrency && !quote) {
    const detail = `no current rate ${currency} to ${providerCurrency}`;
    throw new PaymentError('RATE_UNAVAILABLE', { detail, retryAfterSeconds: rateRetrySeconds });
  }
  // Compared before rounding: an amount slightly below the minimum must not be rounded up to it.
  const smallest = quote ? smallestWorth(least, quote) : least;
  if (amount < smallest) {
    const text = `amount must be at least ${formatAmount(least, providerCurrency)} ${providerCurrency}`;
    const worth = quote ? ` or its value, ${formatAmount(smallest, currency)} ${currency}` : '';
    throw invalid([{ field: 'amount', message: `${text}${worth}` }], 'AMOUNT_OUT_OF_RANGE');
  }
  const instructedMinor = quote ? convert(amount, quote) : amount;
  return { instructedMinor, instructedCurrency: providerCurrency, ...(quote ? { quote } : {}) };
}

function common(input: OrderInput) {
  return {
    rail: 'walletpay',
    provider: 'paypal',
    currency: input.currency,
    requestedMinor: input.amount,
    accountReference: input.order_id,
    ...(input.metadata === undefined ? {} : { metadata: input.metadata }),
  };
}

/** @param landingUrl the page for a buyer whose merchant has no page of its own */
export async function orderDraft(
  db: Database,
  merchant: MerchantRow,
  input: OrderInput,
  landingUrl: string,
): Promise<PaymentDraft> {
  const wallet = (preferredCurrency(input.metadata) ?? merchant.wallet_currency) as Currency;
  return {
    ...common(input),
    kind: 'deposit',
    ...(await instructed(db, input, 'deposit')),
    ...(wallet === providerCurrency ? {} : { creditedCurrency: wallet }),
    details: {
      description: `${merchant.name}: ${input.order_id}`,
      return_url: merchant.return_url ?? landingUrl,
      cancel_url: merchant.cancel_url ?? landingUrl,
    },
  };
}

export async function payoutDraft(
  db: Database,
  merchant: MerchantRow,
  input: PayoutInput,
): Promise<PaymentDraft> {
  const { currency } = input;
  const place = { merchant_id: merchant.merchant_id, rail: 'walletpay', currency, country: null };
  return {
    ...common(input),
    kind: 'payout',
    recipient: input.recipient_email.toLowerCase(),
    ...(await instructed(db, input, 'payout')),
    hold: { ...holdKeysOf('payout', place), whenShort: 'FLOAT_INSUFFICIENT' },
    details: {
      recipient_email: input.recipient_email,
      // The name shown to a recipient that must claim the money.
      merchant_name: merchant.name,
      ...(input.note === undefined ? {} : { note: input.note }),
    },
  };
}

/** The request that a payout's order_id identifies permanently. */
export function payoutOrder(input: PayoutInput): OrderRequest {
  const { amount, currency, order_id: orderId, recipient_email, note, metadata } = input;
  const body = [String(amount), currency, recipient_email, note, metadata];
  return { scope: 'walletpay/payout', orderId, body };
}

/** Money that the provider took back by a chargeback cannot be refunded. */
const refundable: readonly PaymentState[] = ['succeeded', 'refunded'];

/**
 * The provider accepts refunds for 180 days after the capture (Payments v2, `REFUND_TIME_LIMIT_EXCEEDED`). The capture
 * is at most six hours after the order. Within these six hours the provider decides.
 */
const refundableMs = (180 * 24 + 6) * 60 * 60_000;

/** Refunds changed since the wallet's debit was calculated, so it is calculated again. */
export class DebitChanged extends Error {}

/**
 * A merchant's refund of a captured order, debited from the wallet to which the order was credited.
 * @throws PaymentError DEPOSIT_NOT_COMPLETED, REFUND_TOO_LATE, INVALID_AMOUNT, AMOUNT_OUT_OF_RANGE,
 * REFUND_EXCEEDS_REMAINDER
 */
export async function refundDraft(
  db: Database,
  merchant: MerchantRow,
  deposit: PaymentRow,
  amountText: string | undefined,
  timeScale: number,
): Promise<PaymentDraft> {
  const captureId = captureOf(deposit);
  if (msSince(deposit, creationTimeOf(deposit)) > refundableMs / timeScale) {
    throw new PaymentError('REFUND_TOO_LATE');
  }
  const amountMinor = await amountToRefund(db, deposit, amountText);
  const { payment_id: depositId, instructed_currency: currency } = deposit;
  const { currency: wallet } = creditedOf(deposit);
  const debitedMinor = await debitOf(db, deposit, amountMinor);
  if (debitedMinor <= 0n) {
    const message = `amount is worth nothing in ${wallet}`;
    throw invalid([{ field: 'amount', message }], 'AMOUNT_OUT_OF_RANGE');
  }
  const place = { merchant_id: merchant.merchant_id, rail: 'walletpay', currency: wallet, country: null };
  return {
    rail: 'walletpay',
    kind: 'refund',
    provider: deposit.provider,
    parentId: depositId,
    sameness: { counterparty: depositId },
    currency,
    requestedMinor: amountMinor,
    ...(wallet === currency ? {} : { creditedCurrency: wallet, debitedMinor }),
    details: {
      capture_id: captureId,
      walletpay_order_id: deposit.provider_reference ?? '',
      order_id: deposit.order_id ?? '',
    },
    hold: { ...holdKeysOf('refund', place), whenShort: 'BALANCE_INSUFFICIENT' },
    async check(trx, paymentId) {
      const locked = await checkRemainder(trx, deposit, { amountMinor, paymentId, from: refundable });
      if ((await debitOf(trx, locked, amountMinor, paymentId)) !== debitedMinor) throw new DebitChanged();
    },
    ...(deposit.account_reference === null ? {} : { accountReference: deposit.account_reference }),
  };
}

/** @throws PaymentError DEPOSIT_NOT_COMPLETED */
function captureOf({ state, provider_receipt, details }: PaymentRow): string {
  if (state === 'reversed') {
    const message = 'The provider has reversed the payment, so it cannot be refunded';
    throw new PaymentError('DEPOSIT_NOT_COMPLETED', { message });
  }
  const captureId = provider_receipt ?? details['capture_id'];
  if (!refundable.includes(state) || captureId === undefined) throw new PaymentError('DEPOSIT_NOT_COMPLETED');
  return captureId;
}

/** The wallet's debit: all refunds together debit exactly the credited amount, whatever each one is rounded to. */
async function debitOf(
  db: Database | Transaction,
  deposit: PaymentRow,
  amountMinor: bigint,
  exceptId?: string,
): Promise<bigint> {
  const ours = await refundsOf(db, deposit.payment_id, exceptId);
  return debitedForRefunds(deposit, ours.minor + amountMinor) - ours.debitedMinor;
}
