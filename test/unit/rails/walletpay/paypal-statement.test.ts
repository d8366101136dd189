import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { paypalStatement } from '../../../../src/rails/walletpay/providers/paypal/statement';
import { atOnce } from '../../../support/at-once';

const fixture = readFileSync(join(__dirname, '../../../fixtures/statements/paypal.json'));
const pages = JSON.parse(fixture.toString()) as { transaction_details: { transaction_info: object }[] }[];
const read = (file: unknown) => atOnce(paypalStatement.read(Buffer.from(JSON.stringify(file)), {}));

describe("PayPal's Transaction Search", () => {
  it('is read transaction by transaction, over all pages', () => {
    expect(atOnce(paypalStatement.read(fixture, {}))).toEqual([
      {
        n: 1,
        providerReference: '4KS00000MADEUP01A',
        ourReference: '01a20552-0000-7000-8000-000000000001',
        kind: 'collection',
        amountMinor: 120_050n,
        feeMinor: 4_110n,
        currency: 'USD',
        at: new Date('2026-11-03T08:15:30Z'),
        state: 'completed',
        phone: '712000001',
        description: 'T0006 Order 7',
      },
      {
        n: 2,
        providerReference: '5RF00000MADEUP02A',
        originalReference: '4KS00000MADEUP01A',
        rule: 'fee_returned',
        kind: 'refund',
        amountMinor: 20_050n,
        feeMinor: -683n,
        currency: 'USD',
        at: new Date('2026-11-04T20:59:59Z'),
        state: 'completed',
        description: 'T1107',
      },
      expect.objectContaining({ n: 3, kind: 'payout', amountMinor: 1_500n, state: 'pending' }),
      expect.objectContaining({ n: 4, kind: 'fee', amountMinor: 25n, state: 'completed' }),
      // A hold debits nothing.
      expect.objectContaining({ n: 5, kind: 'other', state: 'pending' }),
      expect.objectContaining({ n: 6, kind: 'other', amountMinor: -5_000n, currency: 'JPY' }),
    ]);
  });

  it('counts a reversal as less, and a returned payout as a negative refund', () => {
    const [first] = pages[0]?.transaction_details ?? [];
    const as = (more: object) =>
      read({ transaction_details: [{ transaction_info: { ...first?.transaction_info, ...more } }] })[0];
    const amount = (value: string) => ({ transaction_amount: { currency_code: 'USD', value } });
    expect(as({ transaction_event_code: 'T1201', ...amount('-9.00') })).toMatchObject({
      kind: 'refund',
      amountMinor: 900n,
    });
    expect(as({ transaction_event_code: 'T1115', ...amount('15.00') })).toMatchObject({
      kind: 'refund',
      amountMinor: -1_500n,
    });
    expect(as({ transaction_status: 'D' })).toMatchObject({ state: 'failed' });
  });

  describe('of a dispute and of fees', () => {
    const [first] = pages[0]?.transaction_details ?? [];
    const as = (code: string, value: string) => {
      const changes = {
        transaction_event_code: code,
        transaction_amount: { currency_code: 'USD', value },
        paypal_reference_id: '4KS00000MADEUP01A',
        fee_amount: undefined,
      };
      return read({
        transaction_details: [{ transaction_info: { ...first?.transaction_info, ...changes } }],
      })[0];
    };

    it.each([
      ['T1110', '-1200.50'],
      ['T1111', '1200.50'],
    ])('moves no money with the hold %s of %s', (code, value) => {
      expect(as(code, value)).toMatchObject({ state: 'pending', rule: code });
    });

    it.each(['T1108', 'T1109'])('has a returned fee as %s, and no refund', (code) => {
      expect(as(code, '0.30')).toMatchObject({
        ...{ kind: 'fee', amountMinor: -30n, rule: 'fee_returned', state: 'completed' },
        originalReference: '4KS00000MADEUP01A',
      });
      // A return that is taken back is a fee again.
      expect(as(code, '-0.30')).toMatchObject({ kind: 'fee', amountMinor: 30n, rule: code });
    });
  });

  it.each([
    ['', /^this is not JSON/],
    ['[]x', /^this is not JSON/],
    ['{"items":[]}', /"transaction_details" is missing/],
    [JSON.stringify(pages.slice(0, 1)), /^only 1 of 2 pages are there/],
  ])('is rejected as %s', (file, sentence) => {
    expect(() => atOnce(paypalStatement.read(Buffer.from(file), {}))).toThrow(sentence);
  });

  it.each([
    [{ transaction_initiation_date: '2026-11-03T08:15:30' }, 'line 2: "2026-11-03T08:15:30" is not a time'],
    [
      { transaction_amount: { currency_code: 'USD', value: '1.2.3' } },
      'line 2: "1.2.3" is not an amount in USD',
    ],
  ])('is rejected completely for one transaction with %j', (fault, sentence) => {
    const [first, second] = pages[0]?.transaction_details ?? [];
    const broken = { transaction_info: { ...second?.transaction_info, ...fault } };
    expect(() => read({ transaction_details: [first, broken] })).toThrow(sentence);
  });

  const usd = (value?: string) => ({ transaction_amount: { currency_code: 'USD', value } });
  it.each([
    [{ transaction_status: 'X', ...usd('5.00') }, 500n, 'T1107 X 5.00 USD'],
    [{ transaction_status: 'constructor', ...usd('-5.00') }, -500n, 'T1107 constructor -5.00 USD'],
    [{ transaction_status: null, ...usd('5.00') }, 500n, 'T1107 5.00 USD'],
    [{ transaction_event_code: 'refund', ...usd('-5.00') }, -500n, 'refund S -5.00 USD'],
    [{ transaction_event_code: undefined, ...usd('5.00') }, 500n, 'S 5.00 USD'],
    [{ transaction_amount: { currency_code: 'QQQ', value: '1' } }, 0n, 'T1107 S 1 QQQ'],
    [{ transaction_amount: undefined }, 0n, 'T1107 S'],
  ])('leaves one with %j to an operator, and reads the rest', (odd, amountMinor, description) => {
    const [first, second] = pages[0]?.transaction_details ?? [];
    const changed = { transaction_info: { ...second?.transaction_info, ...odd } };
    const [before, kept, after] = read({ transaction_details: [first, changed, first] });
    expect([before?.kind, after?.kind]).toEqual(['collection', 'collection']);
    expect(kept).toEqual({
      ...{ n: 2, providerReference: '5RF00000MADEUP02A', kind: 'other', state: 'completed' },
      ...{ amountMinor, currency: 'USD', at: expect.any(Date) as Date, description },
    });
  });
});
