import fc from 'fast-check';
import { holdsCardNumber, maskCardNumbers } from '../../src/domain/card-number';

/** The networks' and the gateways' published test cards. */
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
];

describe('a card number', () => {
  it.each(cards)('%s is seen, alone, in groups and within a sentence', (card) => {
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
    ['one digit off', '4111111111111112'],
    ['a telephone number and an amount', '254708374149 2500'],
    ['a telephone number of 13 digits', '+4915123456780'],
    ['a time in milliseconds', '1767225600000'],
    ['a date and a time', '20260131235959'],
    ['a UUID', '018f0000-0000-7000-8000-254708374149'],
    ['a reference of the network', 'ws_CO_191220191020363925'],
    ['a request of the network', '29115-34620561-1'],
    ['a longer number', '41111111111111111111'],
    ['no issuer', '9111111111111111'],
    ['zeros', '0000000000000000'],
    ['a decimal point within', '4111.1111'],
  ])('is not seen in %s', (_, text) => {
    expect(holdsCardNumber(text)).toBe(false);
    expect(maskCardNumbers(text)).toBe(text);
  });

  it('is seen in one random number of 16 digits in thirty at most, and of 13 in fifty', () => {
    const shareOf = (length: number) => {
      let hits = 0;
      const total = 20_000;
      // A fixed walk through the numbers: the share must not differ from run to run.
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

  it('leaves every text without one as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from('0123456789 -+aF\n')) }), (text) => {
        expect(maskCardNumbers(text) === text).toBe(!holdsCardNumber(text));
      }),
    );
  });
});
