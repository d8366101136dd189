/**
 * Conversions never give out more than was taken. What we pay or credit is rounded down, what a buyer is asked for is
 * rounded up, and the rest stays in our fx accounts. Integers only.
 */
import { exponentOf } from '../domain/money';
import { inverseDecimals, readDecimal } from './decimal';
import type { Quote } from './rates';

type Pair = Pick<Quote, 'base' | 'quote' | 'rate'>;

/** The exact worth of an amount in minor units of `quote`, as a fraction. */
function worthOf(
  amountMinor: bigint,
  { base, quote, rate }: Pair,
): { numerator: bigint; denominator: bigint } {
  if (amountMinor < 0n) throw new RangeError('only amounts from zero up are converted');
  const { digits, decimals } = readDecimal(rate);
  return {
    numerator: amountMinor * digits * 10n ** BigInt(exponentOf(quote)),
    denominator: 10n ** BigInt(decimals + exponentOf(base)),
  };
}

/**
 * Minor units of `quote.quote` for an amount in minor units of `quote.base`, rounded down: what we pay out or credit.
 * @throws RangeError for a negative amount, and for a rate that is none.
 */
export function convertMinor(amountMinor: bigint, pair: Pair): bigint {
  const { numerator, denominator } = worthOf(amountMinor, pair);
  return numerator / denominator;
}

/**
 * The same rounded up: what somebody is asked to pay for it. An inverse rate is rounded up in its last decimal; what that
 * alone adds asks for no further minor unit. It is smaller than any remainder that a rate of the table leaves.
 * @throws RangeError as `convertMinor`
 */
export function convertMinorUp(amountMinor: bigint, pair: Pair): bigint {
  const { numerator, denominator } = worthOf(amountMinor, pair);
  const lift = worthOf(amountMinor, { ...pair, rate: smallestRate });
  const isLiftOnly = (numerator % denominator) * lift.denominator <= lift.numerator * denominator;
  return numerator / denominator + (isLiftOnly ? 0n : 1n);
}

/** The most by which an inverse rate was rounded up. */
const smallestRate = `0.${'1'.padStart(inverseDecimals, '0')}`;

/** The smallest amount, in minor units of `quote.base`, that is worth `leastMinor` of `quote.quote`. */
export function smallestWorth(leastMinor: bigint, pair: Pair): bigint {
  const { numerator: ofOne, denominator } = worthOf(1n, pair);
  return (leastMinor * denominator + ofOne - 1n) / ofOne;
}
