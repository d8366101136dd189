/** Reads what an operator typed. Everything that cannot be read is wrong usage, told before anything is done. */
import { holdsCardNumber } from '../domain/card-number';
import { isCurrency, parseAmount, type Currency } from '../domain/money';
import { UsageError } from './refusal';

/** What stands with it in the narrowest column that keeps it leaves so much room. */
const wordsLengthMax = 350;
/** As the columns of a name of a person, and of what a provider calls a payment. */
const nameLengthMax = 100;
const referenceLengthMax = 120;

const unitMs: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `30d`, `2h`, `61s`, `1h30m` → milliseconds. */
export function readDuration(text: string): number {
  const parts = [...text.matchAll(/(\d{1,12})(ms|s|m|h|d)/g)];
  const ms = parts.reduce((sum, [, digits, unit = '']) => sum + Number(digits) * (unitMs[unit] ?? 0), 0);
  if (parts.map(([part]) => part).join('') !== text || ms === 0) {
    throw new UsageError(`"${text}" is no duration; write it like 30d, 2h, 61s or 1h30m.`);
  }
  return ms;
}

/** A duration back from now, or an ISO 8601 moment. */
export function readSince(text: string): Date {
  if (/^\d{4}-\d{2}-\d{2}/.test(text)) {
    const moment = new Date(text);
    if (!Number.isNaN(moment.getTime())) return moment;
  }
  return new Date(Date.now() - readDuration(text));
}

export function readCurrency(text: string): Currency {
  if (isCurrency(text)) return text;
  throw new UsageError(`"${text}" is no currency that Malipo moves; write it like KES.`);
}

/** Minor units, more than zero. */
export function readAmount(text: string, currency: Currency): bigint {
  const minor = parseAmount(text, currency);
  if (minor !== undefined && minor > 0n) return minor;
  throw new UsageError(`"${text}" is no amount in ${currency}; write it like 1000.00.`);
}

/** Minor units, less or more than zero. */
export function readSignedAmount(text: string, currency: Currency): bigint {
  const [, sign = '', digits = ''] = /^([+-]?)(.*)$/.exec(text) ?? [];
  const minor = readAmount(digits, currency);
  return sign === '-' ? -minor : minor;
}

/** ISO 3166 alpha-3. */
export function readCountry(text: string): string {
  if (/^[A-Z]{3}$/.test(text)) return text;
  throw new UsageError(`"${text}" is no country; write it in three letters, like KEN.`);
}

export function readWholeNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`"${text}" is no whole number from 1.`);
}

/** As `readWholeNumber`, and 0 for "never". */
export function readWholeNumberOrNone(text: string): number {
  return text === '0' ? 0 : readWholeNumber(text);
}

/** For options that may be given several times. An empty text gives an empty list, which clears a setting. */
export function collect(text: string, before: string[] | undefined): string[] {
  return text === '' ? [] : [...(before ?? []), text];
}

/** An operator's own words, which are kept for good. */
export function readWords(what: string, lengthMax = wordsLengthMax): (text: string) => string {
  return (text) => {
    const words = text.trim();
    if (words === '') throw new UsageError(`${what} must not be empty.`);
    if (words.length > lengthMax) {
      throw new UsageError(`${what} must have at most ${String(lengthMax)} characters.`);
    }
    if (holdsCardNumber(words)) {
      throw new UsageError(`${what} holds what reads as a payment card number, which is never kept here.`);
    }
    return words;
  };
}

export const readName = readWords('The name', nameLengthMax);

/** What a provider calls a payment. */
export function readReference(text: string): string {
  const reference = readWords('The reference', referenceLengthMax)(text);
  if (/^[\x21-\x7e]+$/.test(reference)) return reference;
  throw new UsageError('The reference must be one word of the provider, without spaces.');
}

export function oneOf<T extends string>(allowed: readonly T[], what: string): (text: string) => T {
  return (text) => {
    const found = allowed.find((word) => word === text);
    if (found === undefined)
      throw new UsageError(`${what} must be one of ${allowed.join(', ')}, not "${text}".`);
    return found;
  };
}
