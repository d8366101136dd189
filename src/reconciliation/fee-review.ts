/** Decides whether an operator must review a fee in a statement, because it may be somebody's money. */
import { exponentOf, formatAmount, type Currency } from '../domain/money';
import type { StatementLineRow } from '../store/tables';
import type { KnownPayment } from './judge';
import { magnitude } from './statement';

/** The amounts of a day at a provider. */
export interface DayVolume {
  /** The sum of collections, payouts and refunds, in minor units. */
  dayMinor: bigint;
  /** The sum of fee lines, and of fees in other lines, in minor units. */
  dayFeesMinor: bigint;
}

/** The amounts that a fee is compared with, in minor units. */
export interface Charged extends DayVolume {
  /** The largest collection, payout or refund with the same id. */
  paidMinor: bigint;
  /** All fees with the same id, also those in other lines. */
  feesMinor: bigint;
}

/** Fees are at most 1/5 of the amounts of their day. */
export const dayShare = 5n;
/** A fee is at most 1/3 of its payment, unless it is small; see `isAboveOwnLimit`. */
export const ownShare = 3n;
/** So many whole units are a small sum of fees for a day, such as the day of the first order. */
const smallDayUnits = 5n;
/** The rule of a line with which the provider returned its fee: a refund with a negative fee, or a fee of its own line. */
export const feeReturned = 'fee_returned';

/** @returns why a fee line needs a review; undefined if it does not. */
export function reviewReasonOfFee(
  line: StatementLineRow,
  payment: KnownPayment | undefined,
  charged: Charged | undefined,
): string | undefined {
  const amountMinor = BigInt(line.amount_minor);
  const isReturned = amountMinor < 0n && line.rule === feeReturned && payment !== undefined;
  if (amountMinor <= 0n && !isReturned) return 'incoming money is not a fee';
  const { paidMinor = 0n, feesMinor = 0n, dayMinor = 0n, dayFeesMinor = 0n } = charged ?? {};
  const oursMinor =
    payment?.instructed_currency === line.currency ? BigInt(payment.confirmed_minor ?? 0) : 0n;
  const belongsTo = oursMinor > paidMinor ? oursMinor : paidMinor;
  const { currency } = line;
  if (belongsTo > 0n && feesMinor >= belongsTo)
    return `the fees of ${shown(feesMinor, currency)} are as large as their payment of ${shown(belongsTo, currency)}`;
  if (isReturned && isAboveOwnLimit(magnitude(amountMinor), oursMinor, currency))
    return `a returned fee of ${shown(magnitude(amountMinor), currency)} is more than a third of its payment`;
  const day = { dayMinor, dayFeesMinor };
  return isTooMuch(day, currency) ? aboutDay(day, currency) : undefined;
}

/** The same for a fee in the line of its payment. On a day with too many fees, only large ones need a review. */
export function reviewReasonOfKept(
  { amount_minor: amount, fee_minor: fee, currency, rule }: StatementLineRow,
  day: DayVolume | undefined,
): string | undefined {
  const keptMinor = magnitude(BigInt(fee ?? 0));
  const ofMinor = magnitude(BigInt(amount));
  if (BigInt(fee ?? 0) < 0n && rule !== feeReturned) return 'incoming money is not a fee';
  if (isAboveOwnLimit(keptMinor, ofMinor, currency))
    return `a fee of ${shown(keptMinor, currency)} is more than a third of its payment`;
  if (day === undefined || keptMinor * dayShare <= ofMinor || !isTooMuch(day, currency)) return undefined;
  return aboutDay(day, currency);
}

/**
 * A fee has a fixed part, which is most of the fee of a small payment: PayPal's is 0.49 USD. A fee of at most one whole unit that
 * is less than its payment needs no review. `day-volumes.ts` has the same limit in SQL.
 */
const isAboveOwnLimit = (keptMinor: bigint, ofMinor: bigint, currency: Currency): boolean =>
  keptMinor * ownShare > ofMinor && !(keptMinor <= unitOf(currency) && keptMinor < ofMinor);

const isTooMuch = ({ dayMinor, dayFeesMinor }: DayVolume, currency: Currency): boolean =>
  dayFeesMinor * dayShare > dayMinor && dayFeesMinor > smallDayUnits * unitOf(currency);

/** One whole unit of the currency, in minor units. */
const unitOf = (currency: Currency): bigint => 10n ** BigInt(exponentOf(currency));

const aboutDay = ({ dayMinor, dayFeesMinor }: DayVolume, currency: Currency): string =>
  `the day has fees of ${shown(dayFeesMinor, currency)}, with payments of ${shown(dayMinor, currency)}`;

const shown = (minor: bigint, currency: Currency): string => `${formatAmount(minor, currency)} ${currency}`;
