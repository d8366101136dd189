/**
 * Finds payment card numbers in text. We accept no cards ourselves, so a card number that reaches us was typed into
 * the wrong field. Every place that stored it would have to be protected like a card store.
 *
 * A number counts when its digits, however they are grouped, have the length and the first digits of an issuer and
 * pass the Luhn check. One in ten random numbers passes Luhn alone. With the issuers' first digits and lengths it is
 * about one in forty of 16 digits and one in a hundred of 13.
 */

const digitsMax = 19;
/** After a `+` this many digits are a telephone number; no longer telephone number begins as a card does. */
const phoneDigitsMax = 13;
/**
 * The digits that users type after a card number: its expiry as MMYY or MMYYYY, and its three- or four-digit security
 * code.
 */
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

/** An African telephone number next to an amount would match a Mastercard of 16 digits. */
function readsAsPhone({ digits }: DigitGroup): boolean {
  return digits.length > 10 && digits.length <= 13 && digits.startsWith('2');
}

/** The rest of a group may only be the expiry, which begins with a month. */
function endsCard(rest: string): boolean {
  if (rest === '') return true;
  const month = Number(rest.slice(0, 2));
  return expiryLengths.includes(rest.length) && month >= 1 && month <= 12;
}

interface Card {
  /** The index of the group that it ends in. */
  last: number;
  digits: string;
}

/** The longest card number that begins with the group; a date or a telephone number may come before or after it. */
function cardFrom(groups: readonly DigitGroup[], first: number): Card | undefined {
  let digits = '';
  /** The end of each group in `digits`. */
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

/** Shows only the last four digits, as a receipt does. */
export function maskCardNumbers(text: string): string {
  let safe = '';
  let from = 0;
  for (const { start, end, digits } of cardNumbersIn(text)) {
    safe += `${text.slice(from, start)}[card …${digits.slice(-4)}]`;
    from = end;
  }
  return safe + text.slice(from);
}

/**
 * The issuers that a number may belong to. The ranges are those that ISO/IEC 7812 registers, as the networks publish
 * them; collected at https://en.wikipedia.org/wiki/Payment_card_number#Issuer_identification_number_(IIN). Maestro's
 * 12 digits are left out: telephone numbers have as many.
 */
interface IssuerRange {
  issuer: string;
  /** The first digits: from and to, of equal length. */
  from: string;
  to: string;
  lengths: readonly number[];
}

const ranges: readonly IssuerRange[] = [
  { issuer: 'Visa', from: '4', to: '4', lengths: [13, 16, 19] },
  { issuer: 'Mastercard', from: '51', to: '55', lengths: [16] },
  { issuer: 'Mastercard', from: '2221', to: '2720', lengths: [16] },
  { issuer: 'American Express', from: '34', to: '34', lengths: [15] },
  { issuer: 'American Express', from: '37', to: '37', lengths: [15] },
  { issuer: 'Diners Club', from: '300', to: '305', lengths: [14] },
  { issuer: 'Diners Club', from: '3095', to: '3095', lengths: [14] },
  { issuer: 'Diners Club', from: '36', to: '36', lengths: [14] },
  { issuer: 'Diners Club', from: '38', to: '39', lengths: [14, 16] },
  { issuer: 'JCB', from: '3528', to: '3589', lengths: [16] },
  { issuer: 'Discover', from: '6011', to: '6011', lengths: [16, 19] },
  { issuer: 'Discover, RuPay, Troy, Verve', from: '644', to: '659', lengths: [16, 19] },
  { issuer: 'UnionPay', from: '62', to: '62', lengths: [16, 17, 18, 19] },
  { issuer: 'Maestro, Dankort', from: '5018', to: '5038', lengths: [13, 15, 16, 18, 19] },
  { issuer: 'Verve', from: '5060', to: '5061', lengths: [16, 18, 19] },
  { issuer: 'Verve', from: '5078', to: '5079', lengths: [16, 18, 19] },
  { issuer: 'Maestro', from: '56', to: '58', lengths: [13, 15, 16, 18, 19] },
  { issuer: 'RuPay, Hipercard', from: '60', to: '60', lengths: [16] },
  { issuer: 'RuPay', from: '508', to: '508', lengths: [16] },
  { issuer: 'RuPay', from: '81', to: '82', lengths: [16] },
  { issuer: 'Maestro, InstaPayment', from: '63', to: '63', lengths: [16, 18, 19] },
  { issuer: 'Maestro', from: '67', to: '67', lengths: [16, 18, 19] },
  { issuer: 'Mir, Borica', from: '2200', to: '2205', lengths: [16, 17, 18, 19] },
  { issuer: 'Troy', from: '9792', to: '9792', lengths: [16] },
];

/** By the first four digits, read as a number. Filled on use, because few of the 10,000 are ever needed. */
const lengthsByStart = new Map<number, readonly number[]>();

/** @param start the first four digits. @returns the lengths of such cards, the longest first. */
function cardLengths(start: string): readonly number[] {
  if (start.length < 4) return [];
  const first = Number(start);
  const known = lengthsByStart.get(first);
  if (known) return known;
  const found = ranges.filter(
    ({ from, to }) => first >= Number(from.padEnd(4, '0')) && first <= Number(to.padEnd(4, '9')),
  );
  const lengths = [...new Set(found.flatMap((range) => range.lengths))].sort((a, b) => b - a);
  lengthsByStart.set(first, lengths);
  return lengths;
}

/**
 * Groups of digits that may form one number: in any script and width, with up to three signs between two of them,
 * where any amount of white space counts as one sign. A letter ends the number; an invisible character does not.
 */
interface DigitGroup {
  /** As ASCII. */
  digits: string;
  /** Its position in the text, in UTF-16 units. */
  start: number;
  end: number;
  /** The relevant signs between it and the group before. */
  gap: string;
  followsPlus: boolean;
}

const gapMax = 3;

/** UUIDs, dates and times: their digits are no card number. */
const passedOver =
  /(?<![a-z\d])(?:[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}|(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:[+-]\d\d:?\d\d)?)?)(?!\d)/gi;

const digit = /\p{Nd}/u;
const letter = /[\p{L}\p{N}]/u;
const unseen = /[\p{Cf}\p{M}]/u;

/** The digits of every script follow each other from a zero whose code ends, in hexadecimal, in 0 or 6. */
function valueOf(char: string): number {
  const code = char.codePointAt(0) ?? 0;
  const place = code % 16;
  const isFromZero = digit.test(String.fromCodePoint(code - place));
  return isFromZero ? place % 10 : place - 6;
}

/** `4,500.00` and `12.50` end with their decimals; `41.11.11` continues with the same separator. */
function endsAnAmount(before: DigitGroup, group: DigitGroup, nextGap: string): boolean {
  const isPoint = group.gap === '.' || group.gap === ',';
  return isPoint && group.digits.length === 2 && before.gap !== group.gap && nextGap !== group.gap;
}

/** @returns chains of groups that may belong together, in the order of the text. */
function digitChains(text: string): DigitGroup[][] {
  const chains: DigitGroup[][] = [];
  let chain: DigitGroup[] = [];
  /** The signs since the last digit; undefined while no number is open. */
  let gap: string | undefined;
  let last = '';

  function close(): void {
    if (chain.length > 0) chains.push(chain);
    chain = [];
    gap = undefined;
  }

  function takeDigit(value: string, start: number, end: number): void {
    const group = chain.at(-1);
    if (group && gap === '') {
      group.digits += value;
      group.end = end;
      return;
    }
    const before = chain.at(-2);
    if (gap !== undefined && group && before && endsAnAmount(before, group, gap)) close();
    chain.push({ digits: value, start, end, gap: gap ?? '', followsPlus: last === '+' });
    gap = '';
  }

  function takeSign(sign: string): void {
    if (gap === undefined) return;
    if (sign === ' ' && gap.endsWith(' ')) return;
    gap += sign;
    if (gap.length > gapMax) close();
  }

  /** One ASCII character, the most frequent case. */
  function takePlain(char: string, start: number, end: number): void {
    if (char >= '0' && char <= '9') takeDigit(char, start, end);
    else if ((char >= 'a' && char <= 'z') || (char >= 'A' && char <= 'Z')) close();
    else takeSign(/\s/.test(char) ? ' ' : char);
    last = char;
  }

  function takeWide(char: string, start: number, end: number): void {
    if (unseen.test(char)) return;
    for (const plain of char.normalize('NFKC')) {
      if (digit.test(plain)) takePlain(String(valueOf(plain)), start, end);
      else if (letter.test(plain)) close();
      else takePlain(/\s/.test(plain) ? ' ' : plain.charAt(0), start, end);
    }
  }

  const skipped = text.matchAll(passedOver);
  let next = skipped.next().value;
  for (let start = 0, end = 0; start < text.length; start = end) {
    const code = text.codePointAt(start) ?? 0;
    end = start + (code > 0xffff ? 2 : 1);
    while (next && next.index + next[0].length <= start) next = skipped.next().value;
    if (next && next.index <= start) close();
    else if (code < 0x80) takePlain(text.charAt(start), start, end);
    else takeWide(text.slice(start, end), start, end);
  }
  close();
  return chains;
}
