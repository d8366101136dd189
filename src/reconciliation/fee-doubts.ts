/** Why what a statement calls the provider's fee may be somebody's money: then a person says what it is. */
import { formatAmount } from '../domain/money';
import type { StatementLineRow } from '../store/tables';
import type { DayVolume } from './day-volumes';
import type { KnownPayment } from './judge';
import { magnitude } from './statement';

/** What moved beside a fee. Minor units. */
export interface Charged extends DayVolume {
  /** The largest payment, payout or refund under the same id. */
  paidMinor: bigint;
  /** All fees under the same id. */
  feesMinor: bigint;
}

/** Lines of fees are at most one part in so many of what moved on their day. */
const dayShare = 5n;
/** A fee is at most one part in so many of its payment: PayPal's fixed part makes a third of one dollar. */
const ownShare = 3n;
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
  const shown = (minor: bigint) => `${formatAmount(minor, line.currency)} ${line.currency}`;
  if (belongsTo > 0n && feesMinor >= belongsTo)
    return `fees of ${shown(feesMinor)} are no less than the ${shown(belongsTo)} that they belong to`;
  if (dayFeesMinor * dayShare > dayMinor)
    return `the day has fees of ${shown(dayFeesMinor)}, and ${shown(dayMinor)} moved`;
  return undefined;
}

/** Of a fee that stands in the line of its payment. */
export function doubtAboutKept({
  amount_minor: amount,
  fee_minor: fee,
  currency,
  rule,
}: StatementLineRow): string | undefined {
  const keptMinor = magnitude(BigInt(fee ?? 0));
  if (BigInt(fee ?? 0) < 0n && rule !== feeGivenBack) return 'a fee that came in is none';
  if (keptMinor * ownShare <= magnitude(BigInt(amount))) return undefined;
  return `a fee of ${formatAmount(keptMinor, currency)} ${currency} is more than a third of what it was kept of`;
}
