import { PaymentError, invalid } from '../../domain/errors';
import { formatAmount, type Currency } from '../../domain/money';
import { convertMinor, isWorthAtLeast } from '../../fx/convert';
import { findQuote, type Quote } from '../../fx/rates';
import type { PaymentDraft } from '../../payments/write-payment';
import type { OrderRequest } from '../../payments/order-once';
import { holdKeysOf } from '../../payments/money-effects';
import type { Database } from '../../store/database';
import type { MerchantRow } from '../../store/tables';
import { preferredCurrency, type OrderInput, type PayoutInput } from './requests';

/** The one currency that we and the provider both move. */
const providerCurrency = 'USD';
/** Minor units: an order is for 1.00 USD at least (specification, Limits), a payout for what can be sent at all. */
const orderMinorMin = 100n;
const payoutMinorMin = 1n;
/** How soon a merchant may ask again who came while there was no rate. */
const rateRetrySeconds = 60;

interface Instructed {
  instructedMinor: bigint;
  instructedCurrency: Currency;
  quote?: Quote;
}

/** What the provider is told to move: what was asked for, or what that is worth at a fresh rate. */
async function instructed(
  db: Database,
  { amount, currency }: OrderInput,
  least: bigint,
): Promise<Instructed> {
  const quote = currency === providerCurrency ? undefined : await findQuote(db, currency, providerCurrency);
  if (currency !== providerCurrency && !quote) {
    const detail = `no fresh rate ${currency} to ${providerCurrency}`;
    throw new PaymentError('RATE_UNAVAILABLE', { detail, retryAfterSeconds: rateRetrySeconds });
  }
  const instructedMinor = quote ? convertMinor(amount, quote) : amount;
  // Compared before it is rounded: what is worth a little less than the least is not lifted to it.
  if (quote ? !isWorthAtLeast(amount, quote, least) : amount < least) {
    const least_ = `${formatAmount(least, providerCurrency)} ${providerCurrency}`;
    const message = `amount must be at least ${least_}${quote ? ' or what that is worth' : ''}`;
    throw invalid([{ field: 'amount', message }], 'AMOUNT_OUT_OF_RANGE');
  }
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

/** @param landingUrl where a buyer goes when the merchant has no page of its own */
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
    ...(await instructed(db, input, orderMinorMin)),
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
    ...(await instructed(db, input, payoutMinorMin)),
    hold: { ...holdKeysOf('payout', place), whenShort: 'FLOAT_INSUFFICIENT' },
    details: {
      recipient_email: input.recipient_email,
      // Who is named to a recipient that has to claim the money.
      merchant_name: merchant.name,
      ...(input.note === undefined ? {} : { note: input.note }),
    },
  };
}

/** What a payout's order_id stands for, for ever. */
export function payoutOrder(input: PayoutInput): OrderRequest {
  const { amount, currency, order_id: orderId, recipient_email, note, metadata } = input;
  const body = [String(amount), currency, recipient_email, note, metadata];
  return { scope: 'walletpay/payout', orderId, body };
}
