/**
 * The amounts of a payment that merchants of the checkout rails are notified of: sums that they can check by
 * addition.
 */
import { amountAsNumber, type Currency } from '../../domain/money';
import type { PaymentRow } from '../../store/tables';
import { amountNumber, currencyCode, flag, maybe, orNull, type BodyOf } from '../../rail-kit/answer-fields';
import { creditedOf, debitedFor } from './credit';

/**
 * The details that store the returned amount before the latest refund, and the wallet's debit for it, in minor units.
 */
const givenBackBefore = 'given_back_before';
const debitedBefore = 'debited_before';

/**
 * The amount of a deposit that went back, whether by us or by the provider: the customer's amount and the wallet's
 * debit. Minor units.
 */
export function wentBackOf(payment: PaymentRow): { totalMinor: bigint; debitedMinor: bigint } {
  const byProvider = BigInt(payment.given_back_minor);
  return {
    totalMinor: byProvider + BigInt(payment.refunded_minor),
    debitedMinor:
      (byProvider === 0n ? 0n : debitedFor(payment, byProvider)) + BigInt(payment.refund_debited_minor),
  };
}

/** Where the money has returned, earlier reported refunds no longer count. */
export const nothingBefore = { [givenBackBefore]: '0', [debitedBefore]: '0' };

/** The same as details of a payment of which more, or less, goes back now. */
export function toldBefore(payment: PaymentRow): Record<string, string> {
  const { totalMinor, debitedMinor } = wentBackOf(payment);
  return { [givenBackBefore]: totalMinor.toString(), [debitedBefore]: debitedMinor.toString() };
}

export const creditFields = {
  credited_amount: orNull(
    amountNumber('What the wallet has of it now, after what went back; null while nothing is'),
  ),
  credited_currency: orNull(currencyCode<Currency>('Of what was credited', 'KES')),
};

/** What the wallet has of a deposit now, without what was debited again; null while nothing was credited. */
export function creditTold(payment: PaymentRow): {
  credited_amount: number | null;
  credited_currency: Currency | null;
} {
  if (payment.kind !== 'deposit' || payment.confirmed_minor === null) {
    return { credited_amount: null, credited_currency: null };
  }
  const { currency, amountMinor } = creditedOf(payment);
  const left = amountMinor - wentBackOf(payment).debitedMinor;
  return { credited_amount: amountAsNumber(left, currency), credited_currency: currency };
}

export const refundToldFields = {
  refund_amount: maybe(amountNumber('What the latest refund gave back', 100)),
  refunded_total: maybe(amountNumber('What all refunds gave back', 100)),
  refund_currency: maybe(currencyCode<Currency>('Of what went back', 'USD')),
  debited_amount: maybe(amountNumber('What the wallet gave for the latest refund', 100)),
  debited_total: maybe(amountNumber('What the wallet gave for all of them', 100)),
  partially_refunded: maybe(flag('Something of it is left')),
};

/**
 * The latest refund and the total of all refunds, as the customer's amount and as the wallet's debit. The captured
 * amount is what is left plus `refunded_total`; the credited amount is `credited_amount` plus `debited_total`.
 * Nothing where nothing went back.
 */
export function refundTold(payment: PaymentRow): BodyOf<typeof refundToldFields> {
  const { totalMinor: total, debitedMinor: debited } = wentBackOf(payment);
  if (total === 0n) return {};
  const { instructed_currency: paidIn, confirmed_minor: confirmed, details } = payment;
  const before = BigInt(details[givenBackBefore] ?? 0);
  const { currency } = creditedOf(payment);
  const debitedThen = BigInt(details[debitedBefore] ?? debitedFor(payment, before));
  return {
    refund_amount: amountAsNumber(total - before, paidIn),
    refunded_total: amountAsNumber(total, paidIn),
    refund_currency: paidIn,
    debited_amount: amountAsNumber(debited - debitedThen, currency),
    debited_total: amountAsNumber(debited, currency),
    partially_refunded: total < BigInt(confirmed ?? 0),
  };
}

export const returnedFields = {
  returned_amount: maybe(amountNumber('What came back to the float, whole, of what had succeeded')),
  returned_currency: maybe(currencyCode<Currency>('Of what came back', 'USD')),
};

/**
 * The whole amount that a returned payout brought back to the float, in the requested currency: the recipient has
 * none of `amount` any more. Nothing for any other payment.
 */
export function returnedTold({
  state,
  requested_minor,
  currency,
}: PaymentRow): BodyOf<typeof returnedFields> {
  if (state !== 'returned') return {};
  return { returned_amount: amountAsNumber(BigInt(requested_minor), currency), returned_currency: currency };
}
