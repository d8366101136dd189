import fc from 'fast-check';
import {
  amountAsNumber,
  exponentOf,
  formatAmount,
  isCurrency,
  parseAmount,
  floorToWholeUnits,
  type Currency,
} from '../../../src/domain/money';

const currencies: Currency[] = ['KES', 'USD', 'UGX', 'TZS', 'XOF', 'JPY', 'KWD', 'TND'];
const anyCurrency = fc.constantFrom(...currencies);
/** Up to the maximum of 15 significant digits. */
const anyMinor = fc.bigInt({ min: 0n, max: 999_999_999_999_999n });

describe('reading an amount', () => {
  it.each([
    ['10', 1000n],
    ['10.5', 1050n],
    ['10.50', 1050n],
    ['0.01', 1n],
    ['0', 0n],
    ['150000.00', 15_000_000n],
    ['9999999999999.99', 999_999_999_999_999n],
  ])('accepts %s KES', (text, minor) => {
    expect(parseAmount(text, 'KES')).toBe(minor);
  });

  it.each([
    '',
    ' ',
    '-1',
    '+1',
    ' 1',
    '1 ',
    '1e2',
    '0x10',
    '1,000.00',
    '10,00',
    '1.',
    '.5',
    '007',
    '00.10',
    '1.005',
    '1.000',
    '1.2.3',
    'NaN',
    'Infinity',
    '١٢',
    '１２',
    '10\n',
    '1_000',
    '99999999999999.99',
    '100000000000000.01',
    '1234567890123456',
  ])('rejects %j', (text) => {
    expect(parseAmount(text, 'KES')).toBeUndefined();
  });

  it('rejects decimals that the currency does not have, unless they are zeros', () => {
    expect(parseAmount('500.00', 'UGX')).toBe(500n);
    expect(parseAmount('500.5', 'UGX')).toBeUndefined();
    expect(parseAmount('500.01', 'XOF')).toBeUndefined();
  });

  it('never uses floating point: 1.005 × 100 is not 100.4999', () => {
    expect(parseAmount('4.35', 'KES')).toBe(435n);
    expect(parseAmount('1.15', 'KES')).toBe(115n);
    expect(parseAmount('90071992547409.9', 'KES')).toBe(9_007_199_254_740_990n);
  });
});

describe('formatting an amount', () => {
  it('is the inverse of reading it, for every amount of every currency', () => {
    // Two decimals are always shown, and count among the 15 digits.
    const shownMinor = fc.bigInt({ min: 0n, max: 9_999_999_999_999n });
    fc.assert(
      fc.property(shownMinor, anyCurrency, (minor, currency) => {
        expect(parseAmount(formatAmount(minor, currency), currency)).toBe(minor);
      }),
    );
  });

  it('shows the read amount with two decimals', () => {
    const text = fc
      .tuple(fc.nat(9_999_999), fc.nat(99))
      .map(([whole, cents]) => `${String(whole)}.${String(cents).padStart(2, '0')}`);
    fc.assert(
      fc.property(text, (shown) => {
        expect(formatAmount(parseAmount(shown, 'KES') ?? -1n, 'KES')).toBe(shown);
      }),
    );
  });

  it('always has two decimals, even for a currency without any', () => {
    expect([formatAmount(5n, 'KES'), formatAmount(500n, 'UGX'), formatAmount(0n, 'XOF')]).toEqual([
      '0.05',
      '500.00',
      '0.00',
    ]);
  });

  it('keeps the sign of a debt', () => {
    expect([formatAmount(-5n, 'KES'), formatAmount(-12_345n, 'KES'), formatAmount(-7n, 'UGX')]).toEqual([
      '-0.05',
      '-123.45',
      '-7.00',
    ]);
  });

  it('as a JSON number has the same digits, for every amount of up to 15', () => {
    fc.assert(
      fc.property(anyMinor, (minor) => {
        expect(parseAmount(String(amountAsNumber(minor, 'KES')), 'KES')).toBe(minor);
      }),
    );
  });
});

describe('the whole units of an amount', () => {
  it.each([
    [99n, 0n],
    [1000n, 1000n],
    [1049n, 1000n],
    [1050n, 1000n],
    [1099n, 1000n],
    [14_999_999n, 14_999_900n],
  ])('of %s cents are %s, never more', (minor, whole) => {
    expect(floorToWholeUnits(minor, 'KES')).toBe(whole);
  });

  it('are less than one unit below the amount, and equal to an amount without cents', () => {
    fc.assert(
      fc.property(anyMinor, anyCurrency, (minor, currency) => {
        const unit = 10n ** BigInt(exponentOf(currency));
        const whole = floorToWholeUnits(minor, currency);
        expect(whole % unit).toBe(0n);
        expect(whole <= minor && minor - whole < unit).toBe(true);
        expect(floorToWholeUnits(whole, currency)).toBe(whole);
      }),
    );
  });
});

it.each<[Currency, number]>([
  ...(['BIF', 'CLP', 'JPY', 'KRW', 'RWF', 'UGX', 'VND', 'XAF', 'XOF'] as const).map(
    (code) => [code, 0] as [Currency, number],
  ),
  ...(['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'] as const).map(
    (code) => [code, 3] as [Currency, number],
  ),
  ...(['EUR', 'KES', 'MGA', 'MRU', 'TZS', 'USD', 'ZAR'] as const).map(
    (code) => [code, 2] as [Currency, number],
  ),
])('%s has %d decimals', (currency, decimals) => {
  expect(exponentOf(currency)).toBe(decimals);
});

it('knows its currencies and no inherited names', () => {
  expect(currencies.every(isCurrency)).toBe(true);
  expect(['EUR', 'JPY', 'ZAR', 'INR', 'BHD'].every(isCurrency)).toBe(true);
  // Withdrawn, metals, tests, funds, and invalid codes.
  const none = ['DEM', 'XAU', 'XTS', 'CHW', 'kes', '', 'toString', '__proto__'];
  expect(none.some(isCurrency)).toBe(false);
});
