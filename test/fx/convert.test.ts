import fc from 'fast-check';
import { exponentOf, type Currency } from '../../src/domain/money';
import { convertMinor, isWorthAtLeast } from '../../src/fx/convert';
import { inverseOf, restoredFrom } from '../../src/fx/decimal';
import type { Quote } from '../../src/fx/rates';

function quoteOf(base: Currency, quote: Currency, rate: string): Quote {
  return { base, quote, rate, source: 'test', observedAt: new Date(0) };
}

const currency = fc.constantFrom<Currency>('USD', 'KES', 'TZS', 'UGX', 'RWF', 'XOF');
/** As many digits as an amount of the API may have. */
const amount = fc.oneof(fc.bigInt(0n, 10_000n), fc.bigInt(0n, 10n ** 15n));

/** A rate as digits and how many of them are decimals; small ones, too, since those make halves. */
const decimal = fc.oneof(
  fc.record({ digits: fc.bigInt(1n, 400n), decimals: fc.nat({ max: 2 }) }),
  fc.record({ digits: fc.bigInt(1n, 10n ** 20n - 1n), decimals: fc.constant(10) }),
);

function textOf({ digits, decimals }: { digits: bigint; decimals: number }): string {
  const padded = digits.toString().padStart(decimals + 1, '0');
  return decimals === 0 ? padded : `${padded.slice(0, -decimals)}.${padded.slice(-decimals)}`;
}

/** Whether `rounded` is `numerator / denominator` rounded half up: said without dividing. */
function isHalfUp(rounded: bigint, numerator: bigint, denominator: bigint): boolean {
  const twice = 2n * numerator + denominator;
  return 2n * rounded * denominator <= twice && twice < 2n * (rounded + 1n) * denominator;
}

const ten = (exponent: number) => 10n ** BigInt(exponent);

describe('an amount', () => {
  it.each<[Currency, Currency, string, bigint, bigint]>([
    ['USD', 'KES', '129.50', 1_000n, 129_500n],
    ['USD', 'UGX', '3700', 1_000n, 37_000n],
    ['UGX', 'USD', '0.00027', 37_000n, 999n],
    ['KES', 'USD', inverseOf('129.50'), 129_500n, 1_000n],
    ['KES', 'USD', inverseOf('129.50'), 1n, 0n],
    ['USD', 'UGX', '3700', 1n, 37n],
    ['USD', 'UGX', '150', 1n, 2n],
    ['USD', 'UGX', '149.99', 1n, 1n],
    ['UGX', 'RWF', '0.5', 1n, 1n],
    ['USD', 'KES', '129.50', 0n, 0n],
  ])('in %s becomes %s at %s: %s is %s', (base, quote, rate, from, to) => {
    expect(convertMinor(from, quoteOf(base, quote, rate))).toBe(to);
  });

  it('is converted exactly and rounded half up, whatever the rate and the decimals of both currencies', () => {
    fc.assert(
      fc.property(currency, currency, decimal, amount, (base, quote, rate, from) => {
        const to = convertMinor(from, quoteOf(base, quote, textOf(rate)));
        const numerator = from * rate.digits * ten(exponentOf(quote));
        expect(isHalfUp(to, numerator, ten(rate.decimals + exponentOf(base)))).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('becomes by an inverse rate what dividing by the rate makes of it, halves included', () => {
    fc.assert(
      fc.property(currency, currency, decimal, amount, (base, quote, rate, from) => {
        // As the table keeps it: with ten decimals.
        const kept = { digits: rate.digits * ten(10 - rate.decimals), decimals: 10 };
        fc.pre(kept.digits < ten(20));
        const to = convertMinor(from, quoteOf(base, quote, inverseOf(textOf(kept))));
        const numerator = from * ten(kept.decimals + exponentOf(quote));
        expect(isHalfUp(to, numerator, kept.digits * ten(exponentOf(base)))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('comes back whole from a currency of smaller units', () => {
    fc.assert(
      fc.property(fc.bigInt(100_01n, 100_000_00n), amount, (cents, from) => {
        const rate = textOf({ digits: cents, decimals: 2 });
        const there = convertMinor(from, quoteOf('USD', 'UGX', rate));
        expect(convertMinor(there, quoteOf('UGX', 'USD', inverseOf(rate)))).toBe(from);
      }),
    );
  });

  it('never becomes more for being less', () => {
    fc.assert(
      fc.property(currency, currency, decimal, amount, amount, (base, quote, rate, a, b) => {
        const of = (from: bigint) => convertMinor(from, quoteOf(base, quote, textOf(rate)));
        expect(a <= b ? of(a) <= of(b) : of(a) >= of(b)).toBe(true);
      }),
    );
  });

  it('below zero is refused, because half up would have two meanings there', () => {
    expect(() => convertMinor(-1n, quoteOf('USD', 'KES', '129.50'))).toThrow(
      new RangeError('only amounts from zero up are converted'),
    );
  });

  it.each(['', '0', '0.00', '-1', '1e3', '1.', '.5', '1,5', ' 1', 'NaN', '0x10'])(
    'is not converted at "%s"',
    (rate) => {
      expect(() => convertMinor(1n, quoteOf('USD', 'KES', rate))).toThrow(
        new RangeError(`"${rate}" is no rate`),
      );
    },
  );
});

describe('an amount compared with a limit', () => {
  it.each([
    [12_949n, false],
    [12_950n, true],
  ])('%s cents are worth 1.00 USD: %s, though both are rounded to it', (amount, isEnough) => {
    const rate = quoteOf('KES', 'USD', inverseOf('129.50'));
    expect(convertMinor(amount, rate)).toBe(100n);
    expect(isWorthAtLeast(amount, rate, 100n)).toBe(isEnough);
  });

  it('is enough where it is worth just that', () => {
    expect(isWorthAtLeast(10_000n, quoteOf('KES', 'USD', '0.01'), 100n)).toBe(true);
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

  it('is turned round again to the rate it was made of', () => {
    expect([restoredFrom('0.5'), restoredFrom('0.01')]).toEqual(['2', '100']);
    // Smaller and larger rates are not rates of currencies, and lose digits that no amount shows.
    const everyday = fc.record({ digits: fc.bigInt(1n, 10n ** 15n), decimals: fc.constant(10) });
    fc.assert(
      fc.property(everyday, (rate) => {
        const text = textOf(rate).replace(/\.?0+$/, '');
        expect(restoredFrom(inverseOf(text))).toBe(text);
      }),
    );
  });
});
