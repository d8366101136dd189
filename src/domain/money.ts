/**
 * Amounts are whole minor units (`bigint`) inside, strings of digits across JSON and Temporal, and decimal text only
 * at the edges. No amount here is ever a floating-point number.
 */
import { minorUnitDigits } from './iso-4217';

export type Currency = keyof typeof minorUnitDigits;

export function isCurrency(code: string): code is Currency {
  return Object.hasOwn(minorUnitDigits, code);
}

export function exponentOf(currency: Currency): number {
  return minorUnitDigits[currency];
}

/** At most 15 significant digits, so that a JSON number keeps all of them on its way to us. */
const significantDigitsMax = 15;
const decimalText = /^(0|[1-9]\d{0,14})(?:\.(\d{1,3}))?$/;
/** Every amount of the specification may have two decimals; a currency with more may have its own. */
const decimalsMin = 2;

/**
 * Reads a decimal amount into minor units.
 * @returns undefined for anything but plain digits with at most two decimals, or the currency's own three: no sign,
 *   exponent, hex, spaces or grouping; nor decimals the currency does not have, unless they are zeros.
 */
export function parseAmount(text: string, currency: Currency): bigint | undefined {
  const match = decimalText.exec(text);
  if (!match) return undefined;
  const [, whole = '', decimals = ''] = match;
  if ((whole + decimals).length > significantDigitsMax) return undefined;
  const exponent = minorUnitDigits[currency];
  if (decimals.length > Math.max(decimalsMin, exponent)) return undefined;
  const kept = decimals.slice(0, exponent).padEnd(exponent, '0');
  if (/[1-9]/.test(decimals.slice(exponent))) return undefined;
  return BigInt(whole + kept);
}

/** Decimal text with two decimals, as every amount of the specification is shown (`"10.00"`, also for UGX), or three. */
export function formatAmount(minor: bigint, currency: Currency): string {
  const exponent = minorUnitDigits[currency];
  const sign = minor < 0n ? '-' : '';
  const digits = (minor < 0n ? -minor : minor).toString().padStart(exponent + 1, '0');
  const whole = digits.slice(0, digits.length - exponent);
  const decimals = digits.slice(digits.length - exponent).padEnd(decimalsMin, '0');
  return `${sign}${whole}.${decimals}`;
}

/** The JSON number of an amount, for the fields the specification types as float. For display only. */
export function amountAsNumber(minor: bigint, currency: Currency): number {
  return Number(formatAmount(minor, currency));
}

/**
 * The amount in whole currency units, rounded down: STK push accepts no cents, and a customer must not pay more than
 * the request.
 */
export function floorToWholeUnits(minor: bigint, currency: Currency): bigint {
  const unit = 10n ** BigInt(minorUnitDigits[currency]);
  return minor - (minor % unit);
}
