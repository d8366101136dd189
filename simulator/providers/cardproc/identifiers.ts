/** Confirmation codes and dates in the shapes that the provider gives them. */
import { randomInt } from 'node:crypto';
import { BASE36, nairobiDate } from '../../identifiers';

const CARD_CODE_DIGITS = 22;
const OTHER_CODE_LENGTH = 10;

/** Nothing but digits for a card, and a receipt as the mobile networks write it for all else. */
export function newConfirmationCode(isCard: boolean): string {
  if (!isCard) return draw(BASE36, OTHER_CODE_LENGTH);
  return `6${draw(BASE36.slice(0, 10), CARD_CODE_DIGITS - 1)}`;
}

function draw(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
}

/** 2026-01-05T12:00:01.75: Nairobi's clock, which the text does not say, and no zeros at the end. */
export function localTime(ms: number): string {
  return withoutZeros(nairobiDate(ms).toISOString());
}

/** 2026-01-05T09:00:01.75Z. */
export function utcTime(ms: number): string {
  return `${withoutZeros(new Date(ms).toISOString())}Z`;
}

function withoutZeros(iso: string): string {
  return iso.slice(0, -1).replace(/\.0+$|(?<=[1-9])0+$/, '');
}
