import * as fc from 'fast-check';
import { cutText } from '../../../src/domain/cut-text';

const family = '👨‍👩‍👧‍👦';
const halves = /\p{Surrogate}/u;
const charactersOf = (text: string) =>
  Array.from(new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text), ({ segment }) => segment);

describe('a text that is too long', () => {
  it.each([
    ['of plain letters has as many as fit', 'INVOICE-2026-0000041', 12, 'INVOICE-2026'],
    ['keeps an emoji that just fits', 'ORDER-2026🧾-1', 12, 'ORDER-2026🧾'],
    ['loses an emoji that would be cut through', 'ORDER-20260🧾-1', 12, 'ORDER-20260'],
    ['loses a flag that would be cut through', 'ORDER-202🇰🇪🇹🇿', 12, 'ORDER-202'],
    ['keeps the flags before it', 'OR🇰🇪🇹🇿🇺🇬🇿🇦', 12, 'OR🇰🇪🇹🇿'],
    ['loses a letter with its accent', 'CAFE-LATTE-e\u0301', 12, 'CAFE-LATTE-'],
    ['loses an emoji of several', `ORDER${family}`, 12, 'ORDER'],
    ['keeps one of several that fits', `A${family}BC`, 12, `A${family}`],
    ['does not part CR and LF', 'ab\r\nc', 3, 'ab'],
    ['of one character alone is cut between its code points', `e${'\u0301'.repeat(20)}`, 3, 'e\u0301\u0301'],
    ['whose one character begins with a pair has no half of it', family, 1, ''],
    ['has nothing where nothing fits', 'text', 0, ''],
  ])('%s', (_, text, lengthMax, cut) => {
    expect(cutText(text, lengthMax)).toBe(cut);
  });

  it('with a character of thousands of marks is cut within it, and not before it', () => {
    expect(cutText(`refused: e${'\u0301'.repeat(5_000)}`, 500)).toHaveLength(500);
  });

  it.each(['\ud83d', 'a\udcccb', 'ab\ud83dcdef'])('contains no half of a surrogate pair: %j', (text) => {
    expect(cutText(text, 3)).not.toMatch(halves);
  });
});

const part = fc.oneof(
  fc.constantFrom(
    'a',
    ' ',
    '🧾',
    '🇰🇪',
    '🇹',
    family,
    'e\u0301',
    '\u0301',
    '\u200d',
    '\ud83d',
    '\udccc',
    '\r\n',
    '한',
    'ᄒ',
    '👍🏿',
  ),
  fc.string({ unit: 'binary', maxLength: 3 }),
);
const texts = fc.array(part, { maxLength: 30 }).map((parts) => parts.join(''));

it('a cut text fits, is well formed, and consists of whole characters of the original', () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 0, max: 40 }), (text, lengthMax) => {
      const cut = cutText(text, lengthMax);
      const whole = text.replaceAll(/\p{Surrogate}/gu, '\ufffd');
      expect(cut.length).toBeLessThanOrEqual(lengthMax);
      expect(cut).not.toMatch(halves);
      expect(whole.startsWith(cut)).toBe(true);
      expect(cutText(cut, lengthMax)).toBe(cut);
      if (whole.length <= lengthMax) expect(cut).toBe(whole);
      const characters = charactersOf(text);
      let fitting = '';
      for (const character of characters) {
        if (fitting.length + character.length > lengthMax) break;
        fitting += character;
      }
      if ((characters[0]?.length ?? 0) <= lengthMax && characters.every(({ length }) => length < 64))
        expect(cut).toBe(fitting.replaceAll(/\p{Surrogate}/gu, '\ufffd'));
    }),
  );
});
