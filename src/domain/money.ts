/**
 * Amounts are whole minor units (`bigint`) inside, strings of digits across JSON and Temporal, and decimal
 * text only at the edges. Nothing here ever holds an amount in a float.
 */

/** ISO 4217 minor-unit digits of the currencies the product moves. */
const exponents = {
  KES: 2,
  USD: 2,
  UGX: 0,
  TZS: 2,
  ZMW: 2,
  RWF: 0,
  GHS: 2,
  NGN: 2,
  MWK: 2,
  MZN: 2,
  ETB: 2,
  SLE: 2,
  LSL: 2,
  CDF: 2,
  XOF: 0,
  XAF: 0,
} as const;

export type Currency = keyof typeof exponents;

export const currencies = Object.keys(exponents) as Currency[];

export function isCurrency(code: string): code is Currency {
  return Object.hasOwn(exponents, code);
}

export function exponentOf(currency: Currency): number {
  return exponents[currency];
}

/** At most 15 significant digits, so that a JSON number never lost one on its way to us. */
const significantDigitsMax = 15;
const decimalText = /^(0|[1-9]\d{0,14})(?:\.(\d{1,2}))?$/;

/**
 * Reads a decimal amount into minor units.
 * @returns undefined for anything but plain digits with at most two decimals: no sign, exponent, hex, spaces
 *   or grouping; nor decimals the currency does not have, unless they are zeros.
 */
export function parseAmount(text: string, currency: Currency): bigint | undefined {
  const match = decimalText.exec(text);
  if (!match) return undefined;
  const [, whole = '', decimals = ''] = match;
  if ((whole + decimals).replace(/^0+/, '').length > significantDigitsMax) return undefined;
  const exponent = exponents[currency];
  const kept = decimals.slice(0, exponent).padEnd(exponent, '0');
  if (/[1-9]/.test(decimals.slice(exponent))) return undefined;
  return BigInt(whole + kept);
}

/** Decimal text with two decimals, as every amount of the specification is shown (`"10.00"`, also for UGX). */
export function formatAmount(minor: bigint, currency: Currency): string {
  const exponent = exponents[currency];
  const sign = minor < 0n ? '-' : '';
  const digits = (minor < 0n ? -minor : minor).toString().padStart(exponent + 1, '0');
  const whole = digits.slice(0, digits.length - exponent);
  const decimals = digits.slice(digits.length - exponent).padEnd(2, '0');
  return `${sign}${whole}.${decimals}`;
}

/** The JSON number of an amount, for the fields the specification types as float. For display only. */
export function amountAsNumber(minor: bigint, currency: Currency): number {
  return Number(formatAmount(minor, currency));
}

/** The whole currency units in it: STK push takes no cents, and nobody is asked for more than was said. */
export function floorToWholeUnits(minor: bigint, currency: Currency): bigint {
  const unit = 10n ** BigInt(exponents[currency]);
  return minor - (minor % unit);
}
