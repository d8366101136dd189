/** Why what a statement calls the provider's fee may be somebody's money: then a person says what it is. */
import { formatAmount, type Currency } from '../domain/money';
import type { StatementLineRow } from '../store/tables';
import type { KnownPayment } from './judge';
import { magnitude } from './statement';

/** What moved at a provider on a day. */
export interface DayVolume {
  /** Minor units that came in or went out as payments, payouts and refunds. */
  dayMinor: bigint;
  /** Minor units of lines that are fees, and what was kept in the lines of the others. */
  dayFeesMinor: bigint;
}

/** What moved beside a fee. Minor units. */
export interface Charged extends DayVolume {
  /** The largest payment, payout or refund under the same id. */
  paidMinor: bigint;
  /** All fees under the same id, with what was kept of the others. */
  feesMinor: bigint;
}

/** Fees are at most one part in so many of what moved on their day. */
export const dayShare = 5n;
/** A fee is at most one part in so many of its payment: PayPal's fixed part makes a third of one dollar. */
export const ownShare = 3n;
/** Of a refund with which the provider gave its fee back: what its reader calls that. */
export const feeGivenBack = 'fee_given_back';

/** @returns undefined for a fee that is one. */
export function doubtAboutFee(
  line: StatementLineRow,
  payment: KnownPayment | undefined,
  charged: Charged | undefined,
): string | undefined {
  if (BigInt(line.amount_minor) <= 0n) return 'a fee that came in is none';
  const { paidMinor = 0n, feesMinor = 0n, dayMinor = 0n, dayFeesMinor = 0n } = charged ?? {};
  const oursMinor =
    payment?.instructed_currency === line.currency ? BigInt(payment.confirmed_minor ?? 0) : 0n;
  const belongsTo = oursMinor > paidMinor ? oursMinor : paidMinor;
  const { currency } = line;
  if (belongsTo > 0n && feesMinor >= belongsTo)
    return `fees of ${shown(feesMinor, currency)} are no less than the ${shown(belongsTo, currency)} that they belong to`;
  return isTooMuch({ dayMinor, dayFeesMinor }) ? aboutDay({ dayMinor, dayFeesMinor }, currency) : undefined;
}

/** Of a fee that stands in the line of its payment. On a day of too many fees it is those that make them so. */
export function doubtAboutKept(
  { amount_minor: amount, fee_minor: fee, currency, rule }: StatementLineRow,
  day: DayVolume | undefined,
): string | undefined {
  const keptMinor = magnitude(BigInt(fee ?? 0));
  const ofMinor = magnitude(BigInt(amount));
  if (BigInt(fee ?? 0) < 0n && rule !== feeGivenBack) return 'a fee that came in is none';
  if (keptMinor * ownShare > ofMinor)
    return `a fee of ${shown(keptMinor, currency)} is more than a third of what it was kept of`;
  if (day === undefined || keptMinor * dayShare <= ofMinor || !isTooMuch(day)) return undefined;
  return aboutDay(day, currency);
}

const isTooMuch = ({ dayMinor, dayFeesMinor }: DayVolume): boolean => dayFeesMinor * dayShare > dayMinor;

const aboutDay = ({ dayMinor, dayFeesMinor }: DayVolume, currency: Currency): string =>
  `the day has fees of ${shown(dayFeesMinor, currency)}, and ${shown(dayMinor, currency)} moved`;

const shown = (minor: bigint, currency: Currency): string => `${formatAmount(minor, currency)} ${currency}`;
