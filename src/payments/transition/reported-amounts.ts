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
const returnedBefore = 'returned_before';
const debitedBefore = 'debited_before';

/**
 * The amount of a deposit that went back, whether by us or by the provider: the customer's amount and the wallet's
 * debit. Minor units.
 */
export function returnedTotals(payment: PaymentRow): { totalMinor: bigint; debitedMinor: bigint } {
  const byProvider = BigInt(payment.returned_minor);
  return {
    totalMinor: byProvider + BigInt(payment.refunded_minor),
    debitedMinor:
      (byProvider === 0n ? 0n : debitedFor(payment, byProvider)) + BigInt(payment.refund_debited_minor),
  };
}

/** Where the money has returned, earlier reported refunds no longer count. */
export const nothingBefore = { [returnedBefore]: '0', [debitedBefore]: '0' };

/** The same as details of a payment of which more, or less, goes back now. */
export function reportedBefore(payment: PaymentRow): Record<string, string> {
  const { totalMinor, debitedMinor } = returnedTotals(payment);
  return { [returnedBefore]: totalMinor.toString(), [debitedBefore]: debitedMinor.toString() };
}

export const creditFields = {
  credited_amount: orNull(
    amountNumber(
      'The amount that is credited to the wallet now, after refunds and reversals; null before the credit',
    ),
  ),
  credited_currency: orNull(currencyCode<Currency>('The currency of the credit', 'KES')),
};

/** What the wallet has of a deposit now, without what was debited again; null while nothing was credited. */
export function shownCredit(payment: PaymentRow): {
  credited_amount: number | null;
  credited_currency: Currency | null;
} {
  if (payment.kind !== 'deposit' || payment.confirmed_minor === null) {
    return { credited_amount: null, credited_currency: null };
  }
  const { currency, amountMinor } = creditedOf(payment);
  const left = amountMinor - returnedTotals(payment).debitedMinor;
  return { credited_amount: amountAsNumber(left, currency), credited_currency: currency };
}

export const refundAmountFields = {
  refund_amount: maybe(amountNumber('The amount of the latest refund', 100)),
  refunded_total: maybe(amountNumber('The sum of all refunds', 100)),
  refund_currency: maybe(currencyCode<Currency>('The currency of the refunds', 'USD')),
  debited_amount: maybe(amountNumber('The amount that the latest refund debited from the wallet', 100)),
  debited_total: maybe(amountNumber('The sum of all debits for refunds', 100)),
  partially_refunded: maybe(flag('Whether only a part is refunded')),
};

/**
 * The latest refund and the total of all refunds, as the customer's amount and as the wallet's debit. The captured
 * amount is what is left plus `refunded_total`; the credited amount is `credited_amount` plus `debited_total`.
 * Nothing where nothing went back.
 */
export function refundAmounts(payment: PaymentRow): BodyOf<typeof refundAmountFields> {
  const { totalMinor: total, debitedMinor: debited } = returnedTotals(payment);
  if (total === 0n) return {};
  const { instructed_currency: paidIn, confirmed_minor: confirmed, details } = payment;
  const before = BigInt(details[returnedBefore] ?? 0);
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
  returned_amount: maybe(amountNumber('The complete amount that was returned to the float after success')),
  returned_currency: maybe(currencyCode<Currency>('The currency of the returned amount', 'USD')),
};

/**
 * The whole amount that a returned payout brought back to the float, in the requested currency: the recipient has
 * none of `amount` any more. Nothing for any other payment.
 */
export function shownReturn({ state, requested_minor, currency }: PaymentRow): BodyOf<typeof returnedFields> {
  if (state !== 'returned') return {};
  return { returned_amount: amountAsNumber(BigInt(requested_minor), currency), returned_currency: currency };
}
