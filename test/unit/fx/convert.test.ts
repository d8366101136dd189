import fc from 'fast-check';
import { exponentOf, type Currency } from '../../../src/domain/money';
import { convertMinor, convertMinorUp, smallestWorth } from '../../../src/fx/convert';
import { inverseOf, restoredFrom } from '../../../src/fx/decimal';
import type { Quote } from '../../../src/fx/rates';

function quoteOf(base: Currency, quote: Currency, rate: string): Quote {
  return { base, quote, rate, source: 'test', observedAt: new Date(0) };
}

const currencies = ['USD', 'KES', 'TZS', 'UGX', 'RWF', 'XOF', 'KWD'] as const satisfies Currency[];
const currency = fc.constantFrom<Currency>(...currencies);
/** Up to the largest number of digits that the API allows for an amount. */
const amount = fc.oneof(fc.bigInt(0n, 10_000n), fc.bigInt(0n, 10n ** 15n));

/** A rate as digits and the number of decimals. Small rates are included, because they give halves. */
const decimal = fc.oneof(
  fc.record({ digits: fc.bigInt(1n, 400n), decimals: fc.nat({ max: 2 }) }),
  fc.record({ digits: fc.bigInt(1n, 10n ** 20n - 1n), decimals: fc.constant(10) }),
);

function textOf({ digits, decimals }: { digits: bigint; decimals: number }): string {
  const padded = digits.toString().padStart(decimals + 1, '0');
  return decimals === 0 ? padded : `${padded.slice(0, -decimals)}.${padded.slice(-decimals)}`;
}

/** Whether `rounded` is `numerator / denominator` rounded down, or up. Checked without a division. */
const isDown = (rounded: bigint, numerator: bigint, denominator: bigint) =>
  rounded * denominator <= numerator && numerator < (rounded + 1n) * denominator;
const isUp = (rounded: bigint, numerator: bigint, denominator: bigint) =>
  (rounded - 1n) * denominator < numerator && numerator <= rounded * denominator;

const ten = (exponent: number) => 10n ** BigInt(exponent);

describe('an amount', () => {
  it.each<[Currency, Currency, string, bigint, bigint]>([
    ['USD', 'KES', '129.50', 1_000n, 129_500n],
    ['USD', 'UGX', '3700', 1_000n, 37_000n],
    ['UGX', 'USD', '0.00027', 37_000n, 999n],
    ['KES', 'USD', inverseOf('129.50'), 195n, 1n],
    ['KES', 'USD', inverseOf('129.50'), 129n, 0n],
    ['KES', 'USD', inverseOf('129.50'), 129_500n, 1_000n],
    ['KES', 'USD', inverseOf('129.50'), 1n, 0n],
    ['USD', 'UGX', '3700', 1n, 37n],
    ['USD', 'UGX', '150', 1n, 1n],
    ['USD', 'UGX', '149.99', 1n, 1n],
    ['UGX', 'RWF', '0.5', 1n, 0n],
    ['USD', 'KES', '129.50', 0n, 0n],
  ])('in %s becomes %s at %s: %s is %s', (base, quote, rate, from, to) => {
    expect(convertMinor(from, quoteOf(base, quote, rate))).toBe(to);
  });

  it.each<[Currency, Currency, string, bigint, bigint]>([
    ['KES', 'USD', inverseOf('129.50'), 13_014n, 101n],
    ['KES', 'USD', inverseOf('129.50'), 12_950n, 100n],
    ['KES', 'USD', inverseOf('129.50'), 129_500n, 1_000n],
    ['KES', 'USD', inverseOf('3'), 300n, 100n],
    ['KES', 'USD', '0.0077', 1n, 1n],
    ['USD', 'UGX', '150', 1n, 2n],
    ['USD', 'UGX', '150', 2n, 3n],
    ['USD', 'KES', '129.50', 0n, 0n],
  ])('in %s that is paid in %s at %s is rounded up: %s is %s', (base, quote, rate, from, to) => {
    expect(convertMinorUp(from, quoteOf(base, quote, rate))).toBe(to);
  });

  it('is converted exactly, rounded down to pay out and up to charge, for any rate and number of decimals', () => {
    fc.assert(
      fc.property(currency, currency, decimal, amount, (base, quote, rate, from) => {
        const at = quoteOf(base, quote, textOf(rate));
        const [exact, unit] = [
          from * rate.digits * ten(exponentOf(quote)),
          ten(rate.decimals + exponentOf(base)),
        ];
        expect(isDown(convertMinor(from, at), exact, unit)).toBe(true);
        expect(isUp(convertMinorUp(from, at), exact, unit)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('times an inverse rate is the amount divided by the rate, whole quotients included', () => {
    fc.assert(
      fc.property(currency, currency, decimal, amount, fc.boolean(), (base, quote, rate, some, isWhole) => {
        // As the table stores it: with ten decimals.
        const kept = { digits: rate.digits * ten(10 - rate.decimals), decimals: 10 };
        fc.pre(kept.digits < ten(20));
        const unit = kept.digits * ten(exponentOf(base));
        // An amount whose converted amount is whole, unless it would be too large.
        const from =
          isWhole && (some % 1_000n) * kept.digits < ten(15) ? (some % 1_000n) * kept.digits : some;
        const exact = from * ten(kept.decimals + exponentOf(quote));
        const at = quoteOf(base, quote, inverseOf(textOf(kept)));
        expect(isDown(convertMinor(from, at), exact, unit)).toBe(true);
        expect(isUp(convertMinorUp(from, at), exact, unit)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('never grows by converting there and back, over all pairs and small amounts', () => {
    const pairs = currencies.flatMap((base) => currencies.map((quote) => [base, quote] as const));
    fc.assert(
      fc.property(fc.constantFrom(...pairs), decimal, fc.bigInt(0n, 2_000n), ([base, quote], rate, from) => {
        const there = quoteOf(base, quote, textOf(rate));
        const back = quoteOf(quote, base, inverseOf(textOf(rate)));
        expect(convertMinor(convertMinor(from, there), back)).toBeLessThanOrEqual(from);
        // A payer is charged at least the worth of the amount, and less than one minor unit more.
        const asked = convertMinorUp(from, there);
        expect(convertMinor(asked, back)).toBeGreaterThanOrEqual(from);
        expect(asked - convertMinor(from, there)).toBeLessThanOrEqual(1n);
      }),
      { numRuns: 2_000 },
    );
  });

  it('converts back exactly when it was charged in a currency of smaller units', () => {
    fc.assert(
      fc.property(fc.bigInt(100_01n, 100_000_00n), amount, (cents, from) => {
        const rate = textOf({ digits: cents, decimals: 2 });
        const there = convertMinorUp(from, quoteOf('USD', 'UGX', rate));
        expect(convertMinor(there, quoteOf('UGX', 'USD', inverseOf(rate)))).toBe(from);
      }),
    );
  });

  it('never converts to more when it is smaller', () => {
    fc.assert(
      fc.property(currency, currency, decimal, amount, amount, (base, quote, rate, a, b) => {
        const of = (from: bigint) => convertMinor(from, quoteOf(base, quote, textOf(rate)));
        expect(a <= b ? of(a) <= of(b) : of(a) >= of(b)).toBe(true);
      }),
    );
  });

  it('below zero is rejected, because rounding up and down would be ambiguous', () => {
    expect(() => convertMinor(-1n, quoteOf('USD', 'KES', '129.50'))).toThrow(
      new RangeError('a negative amount cannot be converted'),
    );
  });

  it.each(['', '0', '0.00', '-1', '1e3', '1.', '.5', '1,5', ' 1', 'NaN', '0x10'])(
    'is not converted with the rate "%s"',
    (rate) => {
      expect(() => convertMinor(1n, quoteOf('USD', 'KES', rate))).toThrow(
        new RangeError(`"${rate}" is not a rate`),
      );
    },
  );
});

describe('the smallest amount with a given worth', () => {
  it.each<[Currency, Currency, string, bigint, bigint]>([
    ['KES', 'USD', inverseOf('129.50'), 100n, 12_950n],
    ['KES', 'USD', inverseOf('129.50'), 1n, 130n],
    ['KES', 'USD', '0.01', 100n, 10_000n],
    ['UGX', 'USD', inverseOf('3700'), 1n, 37n],
  ])('in %s, of %s at %s: %s is %s', (base, quote, rate, least, smallest) => {
    expect(smallestWorth(least, quoteOf(base, quote, rate))).toBe(smallest);
  });

  it('has that worth, and one minor unit less does not', () => {
    fc.assert(
      fc.property(currency, currency, decimal, fc.bigInt(1n, 1_000n), (base, quote, rate, least) => {
        for (const text of [textOf(rate), inverseOf(textOf(rate))]) {
          const at = quoteOf(base, quote, text);
          const smallest = smallestWorth(least, at);
          expect(convertMinor(smallest, at)).toBeGreaterThanOrEqual(least);
          expect(smallest === 0n || convertMinor(smallest - 1n, at) < least).toBe(true);
        }
      }),
    );
  });
});

describe('an inverse rate', () => {
  it.each([
    ['2.0000000000', '0.5'],
    ['0.0000000001', '10000000000'],
    ['129.5000000000', '0.0077220077220077220077220077220077220078'],
    ['9999999999.9999999999', '0.0000000001000000000000000000010000000001'],
  ])('of %s is %s', (rate, inverse) => {
    expect(inverseOf(rate)).toBe(inverse);
  });

  it('gives the original rate when it is inverted again', () => {
    expect([restoredFrom('0.5'), restoredFrom('0.01')]).toEqual(['2', '100']);
    // Smaller and larger rates do not exist between currencies, and lose digits that no amount shows.
    const everyday = fc.record({ digits: fc.bigInt(1n, 10n ** 15n), decimals: fc.constant(10) });
    fc.assert(
      fc.property(everyday, (rate) => {
        const text = textOf(rate).replace(/\.?0+$/, '');
        expect(restoredFrom(inverseOf(text))).toBe(text);
      }),
    );
  });
});
