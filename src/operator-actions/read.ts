/** Readers of typed values. They need no Joi (fields.ts does): a small tool that uses them starts quickly. */
import { holdsCardNumber } from '../domain/card-number';
import { isCurrency, parseAmount, type Currency } from '../domain/money';
import { InputError } from './errors';

/** The room that the narrowest column leaves for an operator's words. */
const wordsLengthMax = 350;
/** As the column of what a provider calls a payment. */
const referenceLengthMax = 120;

export function readCurrency(text: string): Currency {
  if (isCurrency(text)) return text;
  throw new InputError(`"${text}" is no currency that Malipo moves; write it like KES.`);
}

/** Minor units, more than zero. */
export function readAmount(text: string, currency: Currency): bigint {
  const minor = parseAmount(text, currency);
  if (minor !== undefined && minor > 0n) return minor;
  throw new InputError(`"${text}" is no amount in ${currency}; write it like 1000.00.`);
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
  throw new InputError(`"${text}" is no country; write it in three letters, like KEN.`);
}

/** An operator's own words, which are kept for good. */
export function readWords(what: string, lengthMax = wordsLengthMax): (text: string) => string {
  return (text) => {
    const words = text.trim();
    if (words === '') throw new InputError(`${what} must not be empty.`);
    if (words.length > lengthMax)
      throw new InputError(`${what} must have at most ${String(lengthMax)} characters.`);
    if (holdsCardNumber(words))
      throw new InputError(`${what} holds what reads as a payment card number, which is never kept here.`);
    return words;
  };
}

/** What a provider calls a payment. */
export function readReference(text: string): string {
  const reference = readWords('The reference', referenceLengthMax)(text);
  if (/^[\x21-\x7e]+$/.test(reference)) return reference;
  throw new InputError('The reference must be one word of the provider, without spaces.');
}

/** Id columns are ASCII: the database does not compare them with other characters. */
export const isAscii = (text: string): boolean => /^[\x21-\x7e]{1,160}$/.test(text);

/** Of a thing of ours: as much as an id's column holds, and nothing that it cannot. */
export function readId(text: string): string {
  if (isAscii(text)) return text;
  throw new InputError(`"${text.slice(0, 160)}" is no id: it has letters, digits and signs, and no space.`);
}

export function readWholeNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InputError(`"${text}" is no whole number from 1.`);
}

export function oneOf<T extends string>(allowed: readonly T[], what: string): (text: string) => T {
  return (text) => {
    const found = allowed.find((word) => word === text);
    if (found === undefined)
      throw new InputError(`${what} must be one of ${allowed.join(', ')}, not "${text}".`);
    return found;
  };
}
