/** Confirmation codes and dates in the provider's formats. */
import { randomInt } from 'node:crypto';
import { BASE36, nairobiDate } from '../../identifiers';

const CARD_CODE_DIGITS = 22;
const OTHER_CODE_LENGTH = 10;

/** Only digits for a card, otherwise a receipt in the mobile networks' format. */
export function newConfirmationCode(isCard: boolean): string {
  if (!isCard) return draw(BASE36, OTHER_CODE_LENGTH);
  return `6${draw(BASE36.slice(0, 10), CARD_CODE_DIGITS - 1)}`;
}

function draw(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
}

/** 2026-01-05T12:00:01.75: Nairobi time without a zone, and without trailing zeros. */
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
