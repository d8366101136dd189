/** Parsers of typed values. Unlike fields.ts they do not need Joi, so a small tool that uses them starts quickly. */
import { holdsCardNumber } from '../domain/card-number';
import { isCurrency, parseAmount, type Currency } from '../domain/money';
import { InputError } from './errors';

/** The size of the smallest column for an operator's text, less what we add to it. */
const wordsLengthMax = 350;
/** The size of the column of the provider's reference. */
const referenceLengthMax = 120;

export function readCurrency(text: string): Currency {
  if (isCurrency(text)) return text;
  throw new InputError(`"${text}" is not a currency of Malipo; write it like KES.`);
}

/** Minor units, more than zero. */
export function readAmount(text: string, currency: Currency): bigint {
  const minor = parseAmount(text, currency);
  if (minor !== undefined && minor > 0n) return minor;
  throw new InputError(`"${text}" is not an amount in ${currency}; write it like 1000.00.`);
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
  throw new InputError(`"${text}" is not a country; write it with three letters, like KEN.`);
}

/** A text of an operator, which is stored for ever. */
export function readWords(what: string, lengthMax = wordsLengthMax): (text: string) => string {
  return (text) => {
    const words = text.trim();
    if (words === '') throw new InputError(`${what} must not be empty.`);
    if (words.length > lengthMax)
      throw new InputError(`${what} must have at most ${String(lengthMax)} characters.`);
    if (holdsCardNumber(words))
      throw new InputError(`${what} seems to contain a payment card number, which Malipo never stores.`);
    return words;
  };
}

/** The provider's reference of a payment. */
export function readReference(text: string): string {
  const reference = readWords('The reference', referenceLengthMax)(text);
  if (/^[\x21-\x7e]+$/.test(reference)) return reference;
  throw new InputError("The provider's reference must be one word, without spaces.");
}

/** Id columns are ASCII; the database does not compare them with other characters. */
export const isAscii = (text: string): boolean => /^[\x21-\x7e]{1,160}$/.test(text);

/** One of our ids: a text that fits the column of an id. */
export function readId(text: string): string {
  if (isAscii(text)) return text;
  throw new InputError(
    `"${text.slice(0, 160)}" is not an id: an id has letters, digits and signs, but no spaces.`,
  );
}

export function readWholeNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InputError(`"${text}" is not a whole number of at least 1.`);
}

export function oneOf<T extends string>(allowed: readonly T[], what: string): (text: string) => T {
  return (text) => {
    const found = allowed.find((word) => word === text);
    if (found === undefined)
      throw new InputError(`${what} must be one of ${allowed.join(', ')}, not "${text}".`);
    return found;
  };
}
