import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pawapayStatement } from '../../../../src/rails/momo/providers/pawapay/statement';
import { atOnce } from '../../../support/at-once';

const fixture = readFileSync(join(__dirname, '../../../fixtures/statements/pawapay.csv'));

describe("a wallet's statement from pawaPay", () => {
  it('is read with the effect of each line on the wallet', () => {
    const deposit = {
      providerReference: '0a000000-0000-4000-8000-000000000001',
      currency: 'ZMW',
      at: new Date('2026-11-03T08:15:30Z'),
      state: 'completed',
      phone: '260763000001',
    };
    expect(atOnce(pawapayStatement.read(fixture, {}))).toEqual([
      { ...deposit, n: 2, kind: 'collection', amountMinor: 15_000n, description: 'DEPOSIT' },
      { ...deposit, n: 3, kind: 'fee', amountMinor: 450n, description: 'DEPOSIT_FEE' },
      expect.objectContaining({
        n: 4,
        kind: 'payout',
        amountMinor: 2_000n,
        at: new Date('2026-11-03T09:00:00Z'),
      }),
      expect.objectContaining({ n: 5, kind: 'refund', amountMinor: 5_000n }),
      expect.objectContaining({ n: 6, kind: 'other', amountMinor: -1_000_000n }),
      expect.objectContaining({ n: 7, kind: 'other', amountMinor: 2_000n }),
    ]);
  });

  it('is rejected for an unknown currency, and for another export', () => {
    const odd = Buffer.from(fixture.toString().replace(',50,ZMW', ',50,ZZZ'));
    expect(() => atOnce(pawapayStatement.read(odd, {}))).toThrow('line 5: "ZZZ" is not a known currency');
    const other = Buffer.from(fixture.toString().replace('Transaction ID', 'Deposit ID'));
    expect(() => atOnce(pawapayStatement.read(other, {}))).toThrow(
      'no line has the headings "Creation Date"',
    );
  });
});
