/**
 * Conversions with integers only. They never pay out more than they take: paid and credited amounts are rounded down, requested
 * amounts are rounded up, and the rest stays in our fx accounts.
 */
import { exponentOf } from '../domain/money';
import { inverseDecimals, readDecimal } from './decimal';
import type { Quote } from './rates';

type Pair = Pick<Quote, 'base' | 'quote' | 'rate'>;

/** The exact value of an amount in minor units of `quote`, as a fraction. */
function worthOf(
  amountMinor: bigint,
  { base, quote, rate }: Pair,
): { numerator: bigint; denominator: bigint } {
  if (amountMinor < 0n) throw new RangeError('a negative amount cannot be converted');
  const { digits, decimals } = readDecimal(rate);
  return {
    numerator: amountMinor * digits * 10n ** BigInt(exponentOf(quote)),
    denominator: 10n ** BigInt(decimals + exponentOf(base)),
  };
}

/**
 * Minor units of `quote.quote` for an amount in minor units of `quote.base`, rounded down: for amounts that we pay out or credit.
 * @throws RangeError for a negative amount or an invalid rate.
 */
export function convertMinor(amountMinor: bigint, pair: Pair): bigint {
  const { numerator, denominator } = worthOf(amountMinor, pair);
  return numerator / denominator;
}

/**
 * The same rounded up: for amounts that we request. An inverse rate is rounded up in its last decimal; this alone must not add a
 * minor unit. It is smaller than any remainder that a stored rate leaves.
 * @throws RangeError as `convertMinor`
 */
export function convertMinorUp(amountMinor: bigint, pair: Pair): bigint {
  const { numerator, denominator } = worthOf(amountMinor, pair);
  const lift = worthOf(amountMinor, { ...pair, rate: smallestRate });
  const isLiftOnly = (numerator % denominator) * lift.denominator <= lift.numerator * denominator;
  return numerator / denominator + (isLiftOnly ? 0n : 1n);
}

/** The largest amount by which an inverse rate was rounded up. */
const smallestRate = `0.${'1'.padStart(inverseDecimals, '0')}`;

/** The smallest amount, in minor units of `quote.base`, that is worth `leastMinor` of `quote.quote`. */
export function smallestWorth(leastMinor: bigint, pair: Pair): bigint {
  const { numerator: ofOne, denominator } = worthOf(1n, pair);
  return (leastMinor * denominator + ofOne - 1n) / ofOne;
}
