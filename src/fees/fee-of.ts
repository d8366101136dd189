/** What a schedule makes of an amount. */
import type { FeeScheduleRow } from '../store/tables';

/** The part of a schedule that is never changed. */
export type FeeTerms = Pick<FeeScheduleRow, 'operation' | 'fixed' | 'per_million' | 'minimum' | 'maximum'>;

const million = 1_000_000n;

/**
 * The fixed part and the share of the amount, no less than the minimum and no more than the maximum; minor units all. The
 * share is exact and then rounded half up, once. A collection's fee is at most what was collected: it is taken out of that.
 */
export function feeOf(terms: FeeTerms, amountMinor: bigint): bigint {
  const share = (amountMinor * BigInt(terms.per_million) + million / 2n) / million;
  let fee = BigInt(terms.fixed) + share;
  if (terms.minimum !== null && fee < BigInt(terms.minimum)) fee = BigInt(terms.minimum);
  if (terms.maximum !== null && fee > BigInt(terms.maximum)) fee = BigInt(terms.maximum);
  return terms.operation === 'collection' && fee > amountMinor ? amountMinor : fee;
}
