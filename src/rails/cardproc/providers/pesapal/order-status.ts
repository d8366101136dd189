/** The answer of the status call, the only trusted source of this provider. */
import { cutText } from '../../../../domain/cut-text';
import { isCurrency, parseAmount } from '../../../../domain/money';
import type { ProviderResult } from '../../../../domain/outcome';
import type { PaymentRow } from '../../../../store/tables';
import { describe, faultOf, recordOf, textOf, type Fault } from './wire';

type Word = 'open' | 'completed' | 'failed' | 'reversed';

/** Only `status_code` counts. Its description varies in case, and older versions have a PENDING without a code. */
const codes = new Map<string, Word>([
  ['0', 'open'],
  ['1', 'completed'],
  ['2', 'failed'],
  ['3', 'reversed'],
]);
const openDescriptions = ['INVALID', 'PENDING'];

interface OrderStatus {
  trackingId: string;
  merchantReference: string;
  word: Word | undefined;
  description: string;
  currency: string;
  amount: string;
  /** As received, for the merchant. */
  details: Record<string, string>;
  /** Why it failed: a code such as `request_terminated_by_user` of mobile networks, or a sentence of banks. */
  text: string;
  fault: Fault | undefined;
}

function readStatus(json: unknown): OrderStatus {
  const order = recordOf(json);
  const description = textOf(order['payment_status_description']).toUpperCase();
  const code = textOf(order['status_code']);
  const details: Record<string, string> = {};
  for (const name of ['payment_method', 'confirmation_code']) {
    const value = textOf(order[name]);
    if (value !== '') details[name] = cutText(value, 200);
  }
  return {
    trackingId: textOf(order['order_tracking_id']),
    merchantReference: textOf(order['merchant_reference']),
    word: code === '' && openDescriptions.includes(description) ? 'open' : codes.get(code),
    description,
    currency: textOf(order['currency']).toUpperCase(),
    amount: textOf(order['amount']),
    details,
    text: textOf(order['payment_status_code']) || textOf(order['description']),
    fault: faultOf(json),
  };
}

/**
 * The payment's result in the answer. It is `unknown` when anything does not fit, so that no payment is credited by
 * mistake and the state stays. A success with another amount or currency is returned as it is, for an operator to
 * review.
 */
export function resultOf(json: unknown, payment: PaymentRow): ProviderResult {
  const status = readStatus(json);
  const { trackingId, merchantReference, word, description, fault, details, text } = status;
  const providerReference = payment.provider_reference ?? '';
  const isOurs =
    merchantReference === payment.details['submitted_as'] &&
    (trackingId === '' || trackingId === providerReference);
  // Without an order in the body, the error is the whole answer.
  if (merchantReference === '' && fault) return { kind: 'unknown', text: describe(fault) };
  if (!isOurs)
    return { kind: 'unknown', text: `the answer concerns another order: ${trackingId} ${merchantReference}` };
  if (word === 'open') return { kind: 'open', text: fault?.code ?? description };
  if (word === undefined) return { kind: 'unknown', text: `unknown status_code: ${description}` };
  if (fault) return { kind: 'unknown', text: `${description} with ${describe(fault)}` };
  if (word === 'failed') {
    const why = text === '' ? 'The payment failed' : text;
    return { kind: 'failed', code: 'FAILED', text: why, providerReference, details };
  }
  return paid({ ...status, word }, payment, providerReference);
}

function paid(
  { word, currency, amount, details }: OrderStatus & { word: 'completed' | 'reversed' },
  payment: PaymentRow,
  providerReference: string,
): ProviderResult {
  if (currency === '') return { kind: 'unknown', text: `${word} without a currency` };
  const amountMinor = isCurrency(currency) ? parseAmount(amount, currency) : undefined;
  if (isCurrency(currency) && amountMinor === undefined) {
    return { kind: 'unknown', text: `${word} without a readable amount` };
  }
  const reported = { currency, providerReference, details };
  const booked = BigInt(payment.confirmed_minor ?? 0);
  const isBooked = payment.state === 'succeeded' && currency === payment.instructed_currency;
  // `amount` is what the customer paid (documentation of GetTransactionStatus). No field contains a partial refund.
  if (isBooked && amountMinor !== undefined && amountMinor < booked) {
    return {
      ...reported,
      kind: 'refunded',
      code: `PART_${word.toUpperCase()}_${String(amountMinor)}`,
      text: `${word} with ${String(amountMinor)} minor units, booked ${String(booked)}`,
      paidMinor: booked,
      returnedMinor: 0n,
      unclear: true,
    };
  }
  if (word === 'completed') {
    return {
      ...reported,
      kind: 'succeeded',
      code: 'COMPLETED',
      text: details['payment_method'] ?? 'COMPLETED',
      ...(amountMinor === undefined ? {} : { amountMinor }),
    };
  }
  const minor = amountMinor ?? 0n;
  return {
    ...reported,
    kind: 'reversed',
    code: 'REVERSED',
    text: 'reversed completely after it was completed: the processor reports no partial amount',
    paidMinor: minor,
    returnedMinor: minor,
  };
}
