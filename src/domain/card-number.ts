/**
 * Finds payment card numbers in text. We take no cards ourselves, so a card number that reaches us was typed into
 * the wrong field, and every place that would keep it would have to be guarded as a card store is.
 *
 * A number counts when its digits, apart from spaces and dashes between them, are as many as its issuer prints, begin
 * as that issuer's do, and pass the Luhn check. Of random numbers one in ten passes Luhn alone; with the issuers'
 * beginnings and lengths it is about one in fifty of 16 digits and one in a hundred of 13. Telephone numbers have 12
 * digits here, and longer ones a `+`; times in milliseconds and dates begin with 1 or 2 in lengths that no issuer
 * has; UUIDs are left out whole.
 */

interface Issuer {
  /** The first digits: from and to, of equal length. */
  from: string;
  to: string;
  lengths: readonly number[];
}

/** Visa · Mastercard · American Express · Diners · JCB · Discover, Maestro, UnionPay, Verve and RuPay. */
const issuers: readonly Issuer[] = [
  { from: '4', to: '4', lengths: [13, 16, 19] },
  { from: '51', to: '55', lengths: [16] },
  { from: '2221', to: '2720', lengths: [16] },
  { from: '34', to: '34', lengths: [15] },
  { from: '37', to: '37', lengths: [15] },
  { from: '300', to: '305', lengths: [14] },
  { from: '36', to: '36', lengths: [14] },
  { from: '38', to: '39', lengths: [14, 16] },
  { from: '3528', to: '3589', lengths: [16] },
  { from: '6011', to: '6011', lengths: [16, 19] },
  { from: '644', to: '659', lengths: [16, 19] },
  { from: '62', to: '62', lengths: [16, 17, 18, 19] },
  { from: '5018', to: '5038', lengths: [13, 15, 16, 18, 19] },
  { from: '5060', to: '5061', lengths: [16, 18, 19] },
  { from: '5078', to: '5079', lengths: [16, 18, 19] },
  { from: '56', to: '58', lengths: [13, 15, 16, 18, 19] },
  { from: '60', to: '60', lengths: [16] },
  { from: '63', to: '63', lengths: [16, 18, 19] },
  { from: '67', to: '67', lengths: [16, 18, 19] },
];

const digitsMin = 13;
const digitsMax = 19;
/** People write cards in fours and fives; a longer group beside others is a telephone number or an id. */
const groupDigitsMax = 10;

/** A UUID, which is passed over; or groups of digits with at most three spaces and dashes between two of them. */
const candidates =
  /\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b|(?<![\d+])\d{1,40}(?:[\s\u2010-\u2015-]{1,3}\d{1,40})*/gi;

function isOfAnIssuer(digits: string): boolean {
  return issuers.some(({ from, to, lengths }) => {
    const start = digits.slice(0, from.length);
    return lengths.includes(digits.length) && start >= from && start <= to;
  });
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits[digits.length - 1 - place]);
    const counted = place % 2 === 1 ? digit * 2 : digit;
    sum += counted > 9 ? counted - 9 : counted;
  }
  return sum % 10 === 0;
}

function isCardNumber(digits: string): boolean {
  return digits.length >= digitsMin && /^[2-6]/.test(digits) && isOfAnIssuer(digits) && passesLuhn(digits);
}

interface Found {
  start: number;
  end: number;
  digits: string;
}

/** The longest card number that begins with the group; a date or a telephone number may stand on either side. */
function cardFrom(groups: RegExpExecArray[], first: number): { last: number; digits: string } | undefined {
  let digits = '';
  let found: { last: number; digits: string } | undefined;
  for (let last = first; last < groups.length; last += 1) {
    const group = groups[last]?.[0] ?? '';
    if (last > first && group.length > groupDigitsMax) break;
    digits += group;
    if (digits.length > digitsMax) break;
    if (isCardNumber(digits)) found = { last, digits };
    if (group.length > groupDigitsMax) break;
  }
  return found;
}

function cardNumbersIn(text: string): Found[] {
  const found: Found[] = [];
  for (const candidate of text.matchAll(candidates)) {
    if (candidate[0].length < digitsMin || /[a-f]/i.test(candidate[0])) continue;
    const groups = [...candidate[0].matchAll(/\d+/g)];
    for (let first = 0; first < groups.length; first += 1) {
      const card = cardFrom(groups, first);
      const from = groups[first];
      const to = groups[card?.last ?? first];
      if (!card || !from || !to) continue;
      found.push({
        start: candidate.index + from.index,
        end: candidate.index + to.index + to[0].length,
        digits: card.digits,
      });
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
