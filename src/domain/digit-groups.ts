/**
 * Groups of digits that may be one number: in whatever script and width they are written, and with up to three signs
 * between two of them, of which any amount of white space is one. A letter ends the number; what nobody sees does not.
 */
export interface DigitGroup {
  /** As ASCII. */
  digits: string;
  /** Where it stands in the text, in UTF-16 units. */
  start: number;
  end: number;
  /** What stands between it and the group before, as far as that counts. */
  gap: string;
  followsPlus: boolean;
}

const gapMax = 3;

/** UUIDs, dates and times: their digits are nobody's number. */
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

/** `4,500.00` and `12.50` end with their decimals; `41.11.11` goes on as it began. */
function endsAnAmount(before: DigitGroup, group: DigitGroup, nextGap: string): boolean {
  const isPoint = group.gap === '.' || group.gap === ',';
  return isPoint && group.digits.length === 2 && before.gap !== group.gap && nextGap !== group.gap;
}

/** @returns chains of groups that may belong together, in the order of the text. */
export function digitChains(text: string): DigitGroup[][] {
  const chains: DigitGroup[][] = [];
  let chain: DigitGroup[] = [];
  /** Between the last digit and here; undefined while no number is open. */
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

  /** One character of ASCII, which most are. */
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
