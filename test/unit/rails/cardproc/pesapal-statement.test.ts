import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pesapalStatement } from '../../../../src/rails/cardproc/providers/pesapal/statement';
import { atOnce } from '../../../support/at-once';

const fixture = readFileSync(join(__dirname, '../../../fixtures/statements/pesapal.csv'));

describe("a merchant's statement from Pesapal", () => {
  it('is read with the submitted reference of the order, and its commission', () => {
    expect(atOnce(pesapalStatement.read(fixture, {}))).toEqual([
      {
        n: 3,
        providerReference: 'MADEUP0001',
        ourReference: '0f000000000000000000000000000001',
        kind: 'collection',
        amountMinor: 120_000n,
        feeMinor: 4_200n,
        currency: 'KES',
        at: new Date('2026-11-13T07:05:00Z'),
        state: 'completed',
        description: 'Visa',
      },
      expect.objectContaining({ n: 4, amountMinor: 500n, feeMinor: 18n, currency: 'USD' }),
      expect.objectContaining({ n: 5, kind: 'other', amountMinor: -100_000n }),
    ]);
  });

  it('is rejected if a line cannot be read', () => {
    const broken = Buffer.from(fixture.toString().replace('5.00', 'five'));
    expect(() => atOnce(pesapalStatement.read(broken, {}))).toThrow('line 4: "five" is not an amount in USD');
  });
});
