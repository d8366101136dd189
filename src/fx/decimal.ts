/** Rates are decimal texts, and calculations use integers: a rate is exactly `digits / 10^decimals`. */

export interface Decimal {
  digits: bigint;
  decimals: number;
}

/** @throws RangeError for zero, and for a text that is not a plain decimal. */
export function readDecimal(text: string): Decimal {
  const [, whole = '', fraction = ''] = /^(\d{1,20})(?:\.(\d{1,60}))?$/.exec(text) ?? [];
  const digits = BigInt(whole + fraction);
  if (digits === 0n) throw new RangeError(`"${text}" is not a rate`);
  return { digits, decimals: fraction.length };
}

/** Whether the larger one of two rates is more than `factor` times the smaller one. */
export function differsBeyond(factor: number, one: string, other: string): boolean {
  const most = readDecimal(String(factor));
  const isBeyond = (large: Decimal, small: Decimal): boolean =>
    large.digits * 10n ** BigInt(small.decimals + most.decimals) >
    small.digits * most.digits * 10n ** BigInt(large.decimals);
  const [a, b] = [readDecimal(one), readDecimal(other)];
  return isBeyond(a, b) || isBeyond(b, a);
}

/** Removes the zeros that the column adds: `129.5000000000` becomes `129.5`. */
export function plainDecimal(text: string): string {
  return text.includes('.') ? text.replace(/\.0+$|(?<=[1-9])0+$/, '') : text;
}

/** Decimals of an inverse rate. */
export const inverseDecimals = 40;

/**
 * One divided by the rate, with 40 decimals, the last one rounded up. The result is a normal decimal, so the stored rate of a
 * payment explains its amount: amount times rate, rounded, is the booked amount.
 *
 * It also gives the same minor units as a division by the rate. Rounding up by less than 10^-40 raises an amount of at most 15
 * digits by less than 10^-22. A quotient that is not whole is at least 1/digits below the next whole number, and a rate has at
 * most 20 digits. So no quotient reaches the next whole number, and a whole quotient stays whole when rounded down.
 */
export function inverseOf(text: string): string {
  const { digits, decimals } = readDecimal(text);
  const inverse = (10n ** BigInt(inverseDecimals + decimals) + digits - 1n) / digits;
  const padded = inverse.toString().padStart(inverseDecimals + 1, '0');
  return plainDecimal(`${padded.slice(0, -inverseDecimals)}.${padded.slice(-inverseDecimals)}`);
}

/** Decimals of a rate that was inverted twice: more than any source gives, and fewer than the inversion changes. */
const restoredDecimals = 20;

/**
 * The original rate of a stored inverse rate: `0.0077220077…` becomes `129.5`. Rounded up, because the inversion has made it
 * smaller.
 */
export function restoredFrom(inverse: string): string {
  const { digits, decimals } = readDecimal(inverseOf(inverse));
  const shift = 10n ** BigInt(Math.max(0, decimals - restoredDecimals));
  const rounded = ((digits + shift - 1n) / shift).toString();
  const kept = Math.min(decimals, restoredDecimals);
  const padded = rounded.padStart(kept + 1, '0');
  const whole = padded.slice(0, padded.length - kept);
  return plainDecimal(kept === 0 ? whole : `${whole}.${padded.slice(-kept)}`);
}
