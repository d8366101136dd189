/** What merchants of the checkout rails are told of the money of a payment: sums that they can add up themselves. */
import { amountAsNumber, type Currency } from '../../domain/money';
import type { PaymentRow } from '../../store/tables';
import { amountNumber, currencyCode, flag, maybe, orNull, type BodyOf } from '../../rail-kit/answer-fields';
import { creditedOf, debitedFor } from './credit';

/** The details that keep what had gone back before the latest refund, and what the wallet had given for it, in minor units. */
const givenBackBefore = 'given_back_before';
const debitedBefore = 'debited_before';

/** What went back of a deposit, whoever gave it: as the customer got it, and as the wallet paid for it. Minor units. */
export function wentBackOf(payment: PaymentRow): { totalMinor: bigint; debitedMinor: bigint } {
  const byProvider = BigInt(payment.given_back_minor);
  return {
    totalMinor: byProvider + BigInt(payment.refunded_minor),
    debitedMinor:
      (byProvider === 0n ? 0n : debitedFor(payment, byProvider)) + BigInt(payment.refund_debited_minor),
  };
}

/** Where money is there again, what was told of before counts no more. */
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

/** What the wallet has of a deposit now; null while nothing was credited. What was debited again is not in it. */
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
 * What went back: the latest refund and all of them together, as the customer got it and as the wallet was debited for
 * it. What was captured is what is left of it and `refunded_total`, what was credited is `credited_amount` and
 * `debited_total`. Nothing where nothing went back.
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
 * What a payout that had succeeded brought back to the float, whole, in the currency it was asked in: of `amount` the
 * recipient has nothing any more. Nothing for any other payment.
 */
export function returnedTold({
  state,
  requested_minor,
  currency,
}: PaymentRow): BodyOf<typeof returnedFields> {
  if (state !== 'returned') return {};
  return { returned_amount: amountAsNumber(BigInt(requested_minor), currency), returned_currency: currency };
}
