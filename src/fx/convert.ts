import { exponentOf } from '../domain/money';
import { readDecimal } from './decimal';
import type { Quote } from './rates';

/**
 * Converts minor units of `quote.base` into minor units of `quote.quote`, rounded half up. Integers only.
 * @throws RangeError for a negative amount, where "half up" would have two meanings, and for a rate that is none.
 */
export function convertMinor(amountMinor: bigint, { base, quote, rate }: Quote): bigint {
  if (amountMinor < 0n) throw new RangeError('only amounts from zero up are converted');
  const { digits, decimals } = readDecimal(rate);
  const numerator = amountMinor * digits * 10n ** BigInt(exponentOf(quote));
  const denominator = 10n ** BigInt(decimals + exponentOf(base));
  return (2n * numerator + denominator) / (2n * denominator);
}

/** Whether an amount is worth that much, compared exactly: converting it first would round it up to the limit. */
export function isWorthAtLeast(
  amountMinor: bigint,
  { base, quote, rate }: Quote,
  leastMinor: bigint,
): boolean {
  const { digits, decimals } = readDecimal(rate);
  const worth = amountMinor * digits * 10n ** BigInt(exponentOf(quote));
  return worth >= leastMinor * 10n ** BigInt(decimals + exponentOf(base));
}
