import fc from 'fast-check';
import { feeOf, type FeeTerms } from '../../../src/fees/schedules';

const terms = (changes: Partial<FeeTerms> = {}): FeeTerms => ({
  operation: 'payout',
  fixed: '0',
  per_million: 0,
  minimum: null,
  maximum: null,
  ...changes,
});

describe('a fee', () => {
  it.each([
    ['nothing', terms(), 100_000n, 0n],
    ['a fixed amount', terms({ fixed: '500' }), 100_000n, 500n],
    ['a share of the amount', terms({ per_million: 12_500 }), 100_000n, 1_250n],
    ['both', terms({ fixed: '500', per_million: 12_500 }), 100_000n, 1_750n],
    ['its minimum', terms({ per_million: 12_500, minimum: '1251' }), 100_000n, 1_251n],
    ['its maximum', terms({ fixed: '500', per_million: 12_500, maximum: '1000' }), 100_000n, 1_000n],
    [
      'itself between the two',
      terms({ fixed: '500', per_million: 12_500, minimum: '1000', maximum: '2000' }),
      100_000n,
      1_750n,
    ],
    ['half a minor unit as a whole one', terms({ per_million: 5_000 }), 100n, 1n],
    ['less than half a minor unit as none', terms({ per_million: 4_999 }), 100n, 0n],
    ['a payout more than the amount it sends', terms({ fixed: '500' }), 100n, 500n],
    [
      'a collection less than the amount it collects',
      terms({ operation: 'collection', fixed: '500' }),
      501n,
      500n,
    ],
    [
      'no collection more than the amount it collects',
      terms({ operation: 'collection', fixed: '500' }),
      100n,
      100n,
    ],
  ])('charges %s', (_what, by, amount, fee) => {
    expect(feeOf(by, amount)).toBe(fee);
  });

  it('is the exact share rounded half up, for any amount', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 15n }),
        fc.integer({ min: 0, max: 1_000_000 }),
        (amount, per_million) => {
          const fee = feeOf(terms({ per_million }), amount);
          const off = 2n * (fee * 1_000_000n - amount * BigInt(per_million));
          expect(off > -1_000_000n && off <= 1_000_000n).toBe(true);
        },
      ),
    );
  });
});
