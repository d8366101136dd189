import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { intasendStatement } from '../../../../src/rails/xb/providers/intasend/statement';
import { atOnce } from '../../../support/at-once';

const fixture = readFileSync(join(__dirname, '../../../fixtures/statements/intasend.json'));
const read = (text: string) => atOnce(intasendStatement.read(Buffer.from(text), {}));

describe("IntaSend's invoices", () => {
  it('are read from the answers of its API, with numbers as written', () => {
    expect(atOnce(intasendStatement.read(fixture, {}))).toEqual([
      {
        n: 1,
        providerReference: 'MADEUP1',
        ourReference: '0f000000000000000000000000000003',
        kind: 'collection',
        amountMinor: 5_000n,
        feeMinor: 150n,
        currency: 'UGX',
        at: new Date('2026-11-03T07:06:06Z'),
        state: 'completed',
        phone: '256770000001',
      },
      expect.objectContaining({ n: 2, currency: 'TZS', state: 'failed' }),
      expect.objectContaining({ n: 3, state: 'pending', at: new Date('2026-11-03T07:05:00Z') }),
    ]);
  });

  it('are read from CSV with the same names', () => {
    const csv = 'invoice_id,state,value,currency,updated_at\nA1,COMPLETE,"5,000",UGX,2026-11-03 10:05:00';
    expect(read(csv)).toEqual([
      expect.objectContaining({ n: 2, providerReference: 'A1', amountMinor: 5_000n }),
    ]);
  });

  it.each([
    ['{"results":[{"invoice_id":"A1"}]}', 'line 1: the invoice has no "updated_at"'],
    ['{"results":[{"updated_at":"2026-11-03"}]}', 'line 1: the invoice has no "invoice_id"'],
    ['{"results":', 'this is not JSON'],
    ['invoice_id,state\nA1,COMPLETE', 'no line has the headings'],
  ])('are rejected as %s', (text, sentence) => {
    expect(() => read(text)).toThrow(sentence);
  });

  it('are pending while only a part is paid, as the payment is', () => {
    const invoice = {
      invoice_id: 'A1',
      state: 'PARTIAL',
      value: 1,
      currency: 'KES',
      created_at: '2026-11-03',
    };
    expect(read(JSON.stringify([invoice]))).toEqual([
      expect.objectContaining({ kind: 'collection', state: 'pending', amountMinor: 100n }),
    ]);
  });

  it.each([
    [{ state: 'ODD' }, { kind: 'other', amountMinor: 100n, currency: 'KES', description: 'ODD' }],
    [{ state: 'constructor' }, { kind: 'other', amountMinor: 100n, currency: 'KES' }],
    [{ state: null }, { kind: 'other', amountMinor: 100n, currency: 'KES' }],
    [{ value: null }, { kind: 'other', amountMinor: 0n, description: 'COMPLETE KES' }],
    [{ currency: undefined }, { kind: 'other', amountMinor: 0n, description: 'COMPLETE 1' }],
    [{ currency: 'XYZ' }, { kind: 'other', amountMinor: 0n, description: 'COMPLETE 1 XYZ' }],
  ])('are read beside an odd one, which is left to an operator: %j', (changes, kept) => {
    const invoice = { state: 'COMPLETE', value: 1, currency: 'KES', created_at: '2026-11-03' };
    const invoices = [
      { ...invoice, invoice_id: 'A1' },
      { ...invoice, invoice_id: 'A2', ...changes },
    ];
    expect(read(JSON.stringify(invoices))).toEqual([
      expect.objectContaining({ providerReference: 'A1', kind: 'collection', amountMinor: 100n }),
      expect.objectContaining({ providerReference: 'A2', state: 'completed', ...kept }),
    ]);
  });
});
