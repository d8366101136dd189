/** The status call's answer, the only thing of this provider that is believed. */
import { cutText } from '../../../../domain/cut-text';
import { isCurrency, parseAmount } from '../../../../domain/money';
import type { Finding } from '../../../../domain/outcome';
import type { PaymentRow } from '../../../../store/tables';
import { describe, faultOf, recordOf, textOf, type Fault } from './wire';

type Word = 'open' | 'completed' | 'failed' | 'reversed';

/** `status_code` counts; its description varies in case, and older versions know a PENDING that has no code. */
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
  /** As given, for the merchant. */
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
 * What the answer says about our payment; `unknown` wherever it does not fit, so that nothing is credited by mistake
 * and the last state stays. A success of another amount or currency is told as what it is, for a person to judge.
 */
export function findingOf(json: unknown, payment: PaymentRow): Finding {
  const status = readStatus(json);
  const { trackingId, merchantReference, word, description, fault, details, text } = status;
  const providerReference = payment.provider_reference ?? '';
  const isOurs =
    merchantReference === payment.details['submitted_as'] &&
    (trackingId === '' || trackingId === providerReference);
  // Without an order in it, an error is the whole answer.
  if (merchantReference === '' && fault) return { kind: 'unknown', text: describe(fault) };
  if (!isOurs) return { kind: 'unknown', text: `about another order: ${trackingId} ${merchantReference}` };
  if (word === 'open') return { kind: 'open', text: fault?.code ?? description };
  if (word === undefined) return { kind: 'unknown', text: `status_code means nothing: ${description}` };
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
): Finding {
  if (currency === '') return { kind: 'unknown', text: `${word} without a currency` };
  const amountMinor = isCurrency(currency) ? parseAmount(amount, currency) : undefined;
  if (isCurrency(currency) && amountMinor === undefined) {
    return { kind: 'unknown', text: `${word} without a readable amount` };
  }
  const told = { currency, providerReference, details };
  const booked = BigInt(payment.confirmed_minor ?? 0);
  const isBooked = payment.state === 'succeeded' && currency === payment.instructed_currency;
  // `amount` is what the customer paid (documentation of GetTransactionStatus), and no field names what went back in part.
  if (isBooked && amountMinor !== undefined && amountMinor < booked) {
    return {
      ...told,
      kind: 'refunded',
      code: `PART_${word.toUpperCase()}_${String(amountMinor)}`,
      text: `${word} with ${String(amountMinor)} minor units, booked ${String(booked)}`,
      paidMinor: booked,
      givenBackMinor: 0n,
      unclear: true,
    };
  }
  if (word === 'completed') {
    return {
      ...told,
      kind: 'succeeded',
      code: 'COMPLETED',
      text: details['payment_method'] ?? 'COMPLETED',
      ...(amountMinor === undefined ? {} : { amountMinor }),
    };
  }
  const minor = amountMinor ?? 0n;
  return {
    ...told,
    kind: 'reversed',
    code: 'REVERSED',
    text: 'taken back after it was completed, whole: the processor names no part',
    paidMinor: minor,
    givenBackMinor: minor,
  };
}
