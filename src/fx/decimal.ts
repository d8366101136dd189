/** Rates are decimal text and are computed with as whole numbers: a rate is `digits / 10^decimals`, exactly. */

export interface Decimal {
  digits: bigint;
  decimals: number;
}

/** @throws RangeError for anything but plain digits, and for zero. */
export function readDecimal(text: string): Decimal {
  const [, whole = '', fraction = ''] = /^(\d{1,20})(?:\.(\d{1,60}))?$/.exec(text) ?? [];
  const digits = BigInt(whole + fraction);
  if (digits === 0n) throw new RangeError(`"${text}" is no rate`);
  return { digits, decimals: fraction.length };
}

/** Without the zeros that a column's width adds: `129.5000000000` is `129.5`. */
export function plainDecimal(text: string): string {
  return text.includes('.') ? text.replace(/\.0+$|(?<=[1-9])0+$/, '') : text;
}

/** Decimals of an inverse rate. */
export const inverseDecimals = 40;

/**
 * One divided by the rate, to 40 decimals, the last one rounded up. The result is a decimal like any other, so that
 * what is stored with a payment is the whole truth: amount times rate, rounded, gives what was booked.
 *
 * It also gives what dividing by the rate would give, to the minor unit. Rounding up by less than 10^-40 lifts an
 * amount that has at most 15 digits by less than 10^-22, and a quotient that is no whole number is at least one over the
 * rate's digits, which are at most 20, away from the next one. So no quotient reaches the next whole number, and one
 * that is whole stays whole when it is rounded down.
 */
export function inverseOf(text: string): string {
  const { digits, decimals } = readDecimal(text);
  const inverse = (10n ** BigInt(inverseDecimals + decimals) + digits - 1n) / digits;
  const padded = inverse.toString().padStart(inverseDecimals + 1, '0');
  return plainDecimal(`${padded.slice(0, -inverseDecimals)}.${padded.slice(-inverseDecimals)}`);
}

/** Decimals of a rate that was turned round twice: more than any source gives, and fewer than the turning blurs. */
const restoredDecimals = 20;

/**
 * The rate whose inverse a stored rate is, as it was before it was turned round: `0.0077220077…` is `129.5`. Rounded up,
 * because the turning has made it smaller.
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
