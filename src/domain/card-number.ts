/**
 * Finds payment card numbers in text. We take no cards ourselves, so a card number that reaches us was typed into
 * the wrong field, and every place that would keep it would have to be guarded as a card store is.
 *
 * A number counts when its digits, however they are grouped, are as many as its issuer prints, begin as that issuer's
 * do, and pass the Luhn check. Of random numbers one in ten passes Luhn alone; with the issuers' beginnings and lengths it
 * is about one in forty of 16 digits and one in a hundred of 13.
 */
import { cardLengths } from './card-issuers';
import { digitChains, type DigitGroup } from './digit-groups';

const digitsMax = 19;
/** With a `+` before them so many are a telephone number; none is longer that begins as a card does. */
const phoneDigitsMax = 13;
/** What is typed on after a card: its expiry as MMYY or MMYYYY, and three or four digits of its back. */
const expiryLengths = [4, 6, 7, 8, 9, 10];

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - place) - 48;
    const counted = place % 2 === 1 ? digit * 2 : digit;
    sum += counted > 9 ? counted - 9 : counted;
  }
  return sum % 10 === 0;
}

/** A telephone number of this continent beside an amount would read as a Mastercard of 16 digits. */
function readsAsPhone({ digits }: DigitGroup): boolean {
  return digits.length > 10 && digits.length <= 13 && digits.startsWith('2');
}

/** What is left of a group may only be the expiry, which begins with a month. */
function endsCard(rest: string): boolean {
  if (rest === '') return true;
  const month = Number(rest.slice(0, 2));
  return expiryLengths.includes(rest.length) && month >= 1 && month <= 12;
}

interface Card {
  /** The index of the group it ends in. */
  last: number;
  digits: string;
}

/** The longest card number that begins with the group; a date or a telephone number may stand on either side. */
function cardFrom(groups: readonly DigitGroup[], first: number): Card | undefined {
  let digits = '';
  /** Where each group ends in `digits`. */
  const ends: number[] = [];
  for (const [n, group] of groups.slice(first, first + digitsMax).entries()) {
    if (n > 0 && readsAsPhone(group)) break;
    digits += group.digits;
    ends.push(digits.length);
    if (digits.length >= digitsMax || readsAsPhone(group)) break;
  }
  const lengthMin = groups[first]?.followsPlus === true ? phoneDigitsMax + 1 : 0;
  for (const length of cardLengths(digits.slice(0, 4))) {
    const at = ends.findIndex((end) => end >= length);
    const isWhole = at !== -1 && endsCard(digits.slice(length, ends[at]));
    const card = digits.slice(0, length);
    if (isWhole && length >= lengthMin && passesLuhn(card)) return { last: first + at, digits: card };
  }
  return undefined;
}

interface Found {
  start: number;
  end: number;
  digits: string;
}

function cardNumbersIn(text: string): Found[] {
  const found: Found[] = [];
  for (const groups of digitChains(text)) {
    for (let first = 0; first < groups.length; first += 1) {
      const card = cardFrom(groups, first);
      const from = groups[first];
      const to = groups[card?.last ?? first];
      if (!card || !from || !to) continue;
      found.push({ start: from.start, end: to.end, digits: card.digits });
      first = card.last;
    }
  }
  return found;
}

export function holdsCardNumber(text: string): boolean {
  return cardNumbersIn(text).length > 0;
}

/** Shows no digit but the last four, as a receipt does. */
export function maskCardNumbers(text: string): string {
  let safe = '';
  let from = 0;
  for (const { start, end, digits } of cardNumbersIn(text)) {
    safe += `${text.slice(from, start)}[card …${digits.slice(-4)}]`;
    from = end;
  }
  return safe + text.slice(from);
}
