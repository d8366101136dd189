import fc from 'fast-check';
import { holdsCardNumber, maskCardNumbers } from '../../../src/domain/card-number';

/** Published test cards of networks and gateways. */
const cards = [
  '4111111111111111',
  '4222222222222',
  '4917610000000000003',
  '5555555555554444',
  '2223003122003222',
  '378282246310005',
  '30569309025904',
  '36227206271667',
  '6011111111111117',
  '3566002020360505',
  '6200000000000005',
  '6759649826438453',
  '5060990580000217499',
  '2200000000000004',
  '9792030000000000',
  '6521111111111110',
  '8171999900000018',
];

const visa = '4111111111111111';
/** The zero digit of each script that a local keyboard may have. */
const zeros = ['0', '\uff10', '\u0660', '\u06f0', '\u0966', '\u09e6'];
const inScript = (zero: string, digits: string) =>
  digits.replace(/\d/g, (digit) => String.fromCodePoint((zero.codePointAt(0) ?? 0) + Number(digit)));

describe('a card number', () => {
  it.each(cards)('%s is detected alone, in groups and within a sentence', (card) => {
    const fours = card.replace(/(\d{4})(?=\d)/g, '$1 ');
    const shapes = [
      card,
      fours,
      fours.replaceAll(' ', '-'),
      fours.replaceAll(' ', '\u2013'),
      fours.replaceAll(' ', ' - '),
      Array.from(card).join(' '),
    ];
    for (const shape of shapes) {
      for (const text of [shape, `pay ${shape} now`, `254712345678 ${shape} 12/29 123`, `VISA${shape}.`]) {
        expect([text, holdsCardNumber(text)]).toEqual([text, true]);
        expect(maskCardNumbers(text)).toBe(text.replace(shape, `[card …${card.slice(-4)}]`));
      }
    }
  });

  it.each([
    '4111.1111.1111.1111',
    '4111_1111_1111_1111',
    '4111:1111:1111:1111',
    '4111/1111/1111/1111',
    '4111,1111,1111,1111',
    '[4111,"1111","1111",1111]'.slice(1, -1),
    '4111    1111    1111    1111',
    '4111\n1111\n1111\n1111',
    '4111 / 1111 / 1111 / 1111',
    '411111111111 1111',
    '41111111111 11111',
    '4 111111111111111',
    '41.11.11.11.11.11.11.11',
    '4\u200b111\u200b1111\ufeff1111\u00ad1111',
    '\uff14\uff11\uff11\uff11\u3000\uff11\uff11\uff11\uff11 1111 1111',
    '\u{1d7d2}111111111111111',
    ...zeros.map((zero) => inScript(zero, visa)),
    '4111111111111111=1229',
    '41111111111111111229123',
    '4111111111111111122029',
    '3782822463100051229',
    '37828224631000512291234',
  ])('is detected in %j', (spelled) => {
    for (const text of [spelled, `pay ${spelled} now`, `card:${spelled}!`]) {
      expect([text, holdsCardNumber(text)]).toEqual([text, true]);
      expect(maskCardNumbers(text)).toMatch(/\[card …(?:1111|0005)\]/);
      expect(maskCardNumbers(text)).not.toMatch(/\d{5}/);
    }
  });

  it.each([`(4111)1111 1111 1111`, '+4111111111111111', '+378282246310005', '+(4111) 1111-1111-1111'])(
    'is detected after a telephone sign: %s',
    (text) => {
      expect(holdsCardNumber(text)).toBe(true);
      expect(maskCardNumbers(text)).not.toMatch(/\d{5}/);
    },
  );

  it('is detected in any grouping and script', () => {
    const signs = fc.constantFrom(
      '',
      ' ',
      '.',
      ',',
      '-',
      '_',
      ':',
      '/',
      '|',
      '*',
      '\u2013',
      '\u00a0',
      ') (',
      ' - ',
      '     ',
    );
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 19, maxLength: 19 });
    const spelling = fc.record({
      card: fc.constantFrom(...cards),
      sign: signs,
      sizes,
      zero: fc.constantFrom(...zeros),
    });
    fc.assert(
      fc.property(
        spelling,
        fc.constantFrom('', 'pay ', 'VISA: '),
        ({ card, sign, sizes: each, zero }, before) => {
          const groups: string[] = [];
          for (let rest = card, n = 0; rest !== ''; n += 1) {
            groups.push(inScript(zero, rest.slice(0, each[n])));
            rest = rest.slice(each[n]);
          }
          expect(holdsCardNumber(`${before}${groups.join(sign)} please`)).toBe(true);
        },
      ),
    );
  });

  it('knows the digits of every script that has ten of them', () => {
    const all = Array.from({ length: 0x1_1000 }, (_, code) => code)
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code))
      .filter((char) => /\p{Nd}/u.test(char));
    expect(all.length).toBeGreaterThan(300);
    for (let n = 0; n < all.length; n += 10) {
      const digits = all.slice(n, n + 10);
      const spelled = Array.from(visa, (digit) => digits[Number(digit)]).join('');
      expect([spelled, holdsCardNumber(spelled)]).toEqual([spelled, true]);
    }
  });

  it.each([
    ['one digit off', '4111111111111112'],
    ['a telephone number and an amount', '254708374149 2500'],
    ['a telephone number of 13 digits', '+4915123456780'],
    ['a time in milliseconds', '1767225600000'],
    ['a date and a time', '20260131235959'],
    ['a UUID', '018f0000-0000-7000-8000-254708374149'],
    ['a reference of the network', 'ws_CO_191220191020363925'],
    ['a request of the network', '29115-34620561-1'],
    ['a longer number', '41111111111111119900'],
    ['a telephone number and an amount of five digits', '22670123456 15001'],
    ['an amount and a telephone number', '2500, 254712345678'],
    ['telephone numbers', '+254712345678, +254798765432; +255712345678 +260763456789'],
    ['telephone numbers of the card ranges', '+4915123456780 +5511987654321 +34612345678'],
    ['a time of ISO 8601', '2026-01-30T23:59:59.123456+03:00'],
    ['a span of times', '2026-01-30 10:05 - 2026-02-01 12:00'],
    ['amounts with decimals', '4,500.00, 3,200.50, 1,000.00'],
    ['our own ids', 'cp-018f0000-0000-7000-8000-454708374149-1'],
    ['a UUID behind an underscore', 'x_018f0000-0000-4000-8000-411111111111'],
    ['no issuer', '9111111111111111'],
    ['zeros', '0000000000000000'],
    ['a decimal point within', '4111.1111'],
  ])('is not detected in %s', (_, text) => {
    expect(holdsCardNumber(text)).toBe(false);
    expect(maskCardNumbers(text)).toBe(text);
  });

  it('is detected in at most one of thirty random numbers of 16 digits, and one of fifty of 13', () => {
    const shareOf = (length: number) => {
      let hits = 0;
      const total = 20_000;
      // A fixed sequence of numbers: the share must not differ from run to run.
      let state = 7n;
      for (let n = 0; n < total; n += 1) {
        state = (state * 6364136223846793005n + 1442695040888963407n) % 2n ** 64n;
        const digits = state.toString().padStart(20, '0').slice(-length);
        if (holdsCardNumber(digits)) hits += 1;
      }
      return hits / total;
    };
    expect(shareOf(16)).toBeLessThan(1 / 30);
    expect(shareOf(13)).toBeLessThan(1 / 50);
  });

  it('leaves every text without one unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from('0123456789 -+aF\n')) }), (text) => {
        expect(maskCardNumbers(text) === text).toBe(!holdsCardNumber(text));
      }),
    );
  });
});
