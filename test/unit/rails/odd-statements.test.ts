/** Every reader of a provider's statement leaves unknown rows to an operator, and rejects a damaged file. */
import { pesapalStatement } from '../../../src/rails/cardproc/providers/pesapal/statement';
import { darajaStatement } from '../../../src/rails/stk/providers/daraja/statement';
import { paypalStatement } from '../../../src/rails/walletpay/providers/paypal/statement';
import { intasendStatement } from '../../../src/rails/xb/providers/intasend/statement';
import type { StatementFormat } from '../../../src/reconciliation/statement';
import { atOnce } from '../../support/at-once';
import {
  cases,
  csvOf,
  daraja,
  intasend,
  pawapay,
  pesapal,
  readers,
  readWith,
  type Cells,
  type Reader,
} from './statement-rows';

describe('a transaction id', () => {
  const column = (name: string) => (readers[name] as Reader).ids[0] ?? '';

  it.each(
    Object.keys(readers).flatMap((name) =>
      ['\u200b', '\u00ad', '\u202e', '\u0410', '\u00e9', '\uff21'].map((sign) => [name, sign] as const),
    ),
  )('of %s with an invalid character, %j, is rejected', (name, sign) => {
    const id = (readers[name] as Reader).row[column(name)] ?? '';
    expect(() => readWith(name, { [column(name)]: `${id.slice(0, 4)}${sign}${id.slice(4)}` })).toThrow(
      /^line 3: ".+" is not a valid transaction id: it has (?:an invisible character|a letter that is not ASCII)/,
    );
  });

  it('of PayPal, IntaSend or Pull Transactions as JSON is rejected with one, too', () => {
    const info = {
      ...{ transaction_id: '4KS\u200b01A', transaction_event_code: 'T0006', transaction_status: 'S' },
      transaction_initiation_date: '2026-11-03T08:15:30+0000',
      transaction_amount: { currency_code: 'USD', value: '5.00' },
    };
    const pulled = { transactionId: 'UKM1\u0410AAAA1', trxDate: '2026-11-03T08:15:30Z', amount: '5' };
    const files: [StatementFormat, unknown][] = [
      [paypalStatement, { transaction_details: [{ transaction_info: info }] }],
      [intasendStatement, [{ ...intasend, invoice_id: 'MADE\u200bUP1' }]],
      [darajaStatement, { transactions: [pulled] }],
    ];
    for (const [format, json] of files)
      expect(() => atOnce(format.read(Buffer.from(JSON.stringify(json)), {}))).toThrow(
        /^line 1: .* is not a valid transaction id: it has an? /,
      );
  });

  it('of M-Pesa in lower case is the receipt in upper case, and an upper-case UUID the lower-case one', () => {
    expect(readWith('daraja', { 'Receipt No.': 'ukm1aaaaa2' })[1]?.providerReference).toBe('UKM1AAAAA2');
    const id = pawapay['Transaction ID'];
    expect(readWith('pawapay', { 'Transaction ID': id.toUpperCase() })[1]?.providerReference).toBe(id);
  });
});

describe('our reference with an invisible character', () => {
  const columns = { pesapal: 'Reference', intasend: 'api_ref' } as const;
  const ours = '0f000000000000000000000000000009';
  const names = Object.keys(columns) as (keyof typeof columns)[];
  const signs = ['\u200b', '\u00ad', '\ufeff', '\u202e', '\u0007'];
  const places = names.flatMap((name) => signs.map((sign) => [name, sign] as const));

  it.each(places)('of %s is read without one at its end, %j', (name, sign) => {
    const read = (text: string) => readWith(name, { [columns[name]]: text })[1]?.ourReference;
    expect([read(`${sign}${ours}`), read(`${ours}${sign} `), read(` ${sign}${ours}${sign}`)]).toEqual(
      Array(3).fill(ours),
    );
    expect(read(sign)).toBeUndefined();
  });

  it.each(places)(
    'of %s is dropped with one within it, %j, and the rest of the file is read',
    (name, sign) => {
      const damaged = `${ours.slice(0, 5)}${sign}${ours.slice(5)}`;
      const [first, second] = readWith(name, { [columns[name]]: damaged });
      expect(first?.ourReference).toMatch(/^0f0+\d$/);
      expect([second?.n, second?.ourReference, second?.providerReference]).toEqual([
        ...[3, undefined, first?.providerReference],
      ]);
      expect(second?.description).toContain(
        'the reference "0f000\ufffd000000000000000000000000009" has an invisible character',
      );
    },
  );

  it('of IntaSend as JSON is read in the same way', () => {
    const invoices = ['\u200b0f01', '0f\u200b01'].map((ref, n) => ({
      ...{ ...intasend, invoice_id: `MADEUP${n}`, api_ref: ref },
    }));
    const lines = atOnce(intasendStatement.read(Buffer.from(JSON.stringify(invoices)), {}));
    expect(lines.map(({ ourReference, description }) => [ourReference, description])).toEqual([
      ['0f01', undefined],
      [undefined, 'the reference "0f\ufffd01" has an invisible character'],
    ]);
  });
});

describe("a provider's word that decides about money", () => {
  it.each([
    ['COMPLETED', 'completed', 'collection'],
    ['FAILED', 'failed', 'collection'],
    ['CANCELLED', 'failed', 'collection'],
    ['ENQUEUED', 'pending', 'collection'],
    ['IN RECONCILIATION', 'pending', 'collection'],
    ['REVERSED', 'completed', 'other'],
    ['', 'completed', 'other'],
  ])('is a state of pawaPay from a closed list: %s is %s, %s', (status, state, kind) => {
    expect(readWith('pawapay', { Status: status })[1]).toMatchObject({ state, kind, amountMinor: 15_000n });
  });

  it.each([
    ['Visa', 'collection', 120_000n],
    ['M-Pesa', 'collection', 120_000n],
    ['Refund', 'other', -120_000n],
    ['Settlement', 'other', -120_000n],
    ['Chargeback', 'other', -120_000n],
    ['Something new', 'other', 120_000n],
  ])('is a method of Pesapal from a closed list: %s is %s of %d', (method, kind, amountMinor) => {
    expect(readWith('pesapal', { 'Payment Method': method })[1]).toMatchObject({ kind, amountMinor });
  });

  it.each([
    ['Pay Bill Online', 'collection'],
    ['Customer Merchant Payment', 'collection'],
    ['Pay Bill Reversal', 'other'],
    ['Organization Transfer', 'other'],
    ['Business Transfer from Utility to Working', 'other'],
  ])('is a reason type of incoming money at Daraja: %s is %s', (reason, kind) => {
    expect(readWith('daraja', { 'Reason Type': reason })[1]).toMatchObject({ kind, amountMinor: 130_000n });
  });
});

describe('a table with damaged rows', () => {
  const lines = csvOf([pesapal, { ...pesapal, 'Confirmation Code': 'MADEUP2' }]).split('\r\n');
  const [heading = '', first = '', second = ''] = lines;
  const plain = (row: string) => row.replace('"1,200.00"', '1200.00');
  const read = (...some: string[]) => atOnce(pesapalStatement.read(Buffer.from(some.join('\r\n')), {}));

  it.each([
    ['a row above its headings', [first, heading, second], 'line 1: there is a row above the headings'],
    [
      'a last row that is cut off',
      [heading, first, second.slice(0, second.lastIndexOf(','))],
      'line 3: there are fewer fields than headings: the file may have been cut off',
    ],
    [
      'two rows that a quotation mark has made one',
      [heading, plain(first).replace('Visa', '"Visa'), plain(second).replace('Visa', 'Visa"')],
      'a cell spans several rows; a quotation mark may be unpaired',
    ],
    [
      'a line break within an id',
      [heading, first, second.replace('MADEUP2', '"MADE\nUP2"')],
      'is not a valid transaction id: it has an invisible character',
    ],
  ])('is rejected for %s', (_what, some, sentence) => {
    expect(() => read(...some)).toThrow(sentence);
  });

  it('is read with a line break in a typed text', () => {
    const Details = 'Pay Bill from 254712000001 -\nMADE UP Acc. INV-1';
    const quotedRow = csvOf([{ ...daraja, Details }]).replace(Details, `"${Details}"`);
    const [line] = atOnce(darajaStatement.read(Buffer.from(quotedRow), {}));
    expect(line).toMatchObject({ kind: 'collection', ourReference: 'INV-1', description: Details });
  });

  it('has a row with TOTAL and an id as a transaction, and one without as a sum', () => {
    const sum = 'TOTAL,,,KES,"2,400.00",,';
    expect(read(heading, first, second, sum)).toHaveLength(2);
    expect(() => read(heading, first, sum.replace('TOTAL,,', 'TOTAL,,MADEUP3'))).toThrow(
      'line 3: "TOTAL" is not a readable date',
    );
    expect(read(heading, first, second.replace('MADEUP2', 'TOTAL1'))).toHaveLength(2);
  });
});

describe('a column with amounts of both signs', () => {
  const charge = (receipt: string, Withdrawn: string, more: Cells = {}) => ({
    ...{ ...daraja, 'Receipt No.': receipt, Details: 'Pay Bill Charge', 'Paid In': '', Withdrawn },
    ...{ 'Reason Type': 'Pay Bill Charge', 'Other Party Info': '', 'A/C No.': '', ...more },
  });
  const readDaraja = (...rows: Cells[]) => atOnce(darajaStatement.read(Buffer.from(csvOf(rows)), {}));
  const readPesapal = (...rows: Cells[]) =>
    atOnce(
      pesapalStatement.read(
        Buffer.from(
          csvOf(
            rows.map((row, n) => ({
              ...pesapal,
              'Confirmation Code': `MADEUP${n}`,
              'Net amount': '',
              ...row,
            })),
          ),
        ),
        {},
      ),
    );

  it('is rejected for withdrawals at Daraja, with the differing line', () => {
    const [minus, plus] = [charge('UKM1AAAAA2', '-29.00'), charge('UKM1AAAAA3', '31.00')];
    const sentence = /^line (\d): "31\.00" is withdrawn without a minus, and "-29\.00" of line (\d) has one/;
    expect(() => readDaraja(daraja, minus, plus)).toThrow(sentence);
    expect(() => readDaraja(plus, daraja, minus)).toThrow(sentence);
    const same = [charge('UKM1AAAAA4', '-31.00'), charge('UKM1AAAAA4', '29.00')] as const;
    for (const [one, other] of [
      [minus, same[0]],
      [plus, same[1]],
    ] as const)
      expect(readDaraja(one, other).map(({ amountMinor }) => amountMinor > 0n)).toEqual([true, true]);
  });

  it('is read at Daraja if only unmoved rows have another sign', () => {
    const failed = charge('UKM1AAAAA3', '31.00', { 'Transaction Status': 'Failed' });
    expect(readDaraja(charge('UKM1AAAAA2', '-29.00'), failed)).toHaveLength(2);
  });

  it('is rejected for commissions at Pesapal, if nothing shows which of them was returned', () => {
    expect(() => readPesapal({ Commission: '42.00' }, {}, { Commission: '-18.00' })).toThrow(
      /^line 4: the commission "-18\.00" has another sign than "42\.00" of line 2, and no net amount shows which was deducted/,
    );
    const fees = (...rows: Cells[]) => readPesapal(...rows).map(({ feeMinor }) => feeMinor);
    expect(fees({ Commission: '-42.00' }, { Commission: '-18.00' })).toEqual([4_200n, 1_800n]);
    expect(fees({ Commission: '42.00' }, { Commission: '18.00' })).toEqual([4_200n, 1_800n]);
  });

  it.each([
    ['Visa', '1,200.00', '-42.00', '1,158.00', 4_200n],
    ['Visa', '1,200.00', '42.00', '1,242.00', -4_200n],
    ['Refund', '-1,200.00', '42.00', '-1,158.00', -4_200n],
    ['Refund', '-1,200.00', '42.00', '-1,242.00', 4_200n],
    ['Refund', '1,200.00', '-42.00', '1,158.00', -4_200n],
    // Without a net amount, or with an unrelated one, the commission is read as written.
    ['Refund', '-1,200.00', '-42.00', '', -4_200n],
    ['Refund', '-1,200.00', '-42.00', '-1,000.00', -4_200n],
    ['Visa', '1,200.00', '42.00', '1,100.00', 4_200n],
  ])(
    'is read at Pesapal by the net amount of its row: %s of %s with %s and %s',
    (method, Amount, Commission, net, feeMinor) => {
      const row = { 'Payment Method': method, Amount, Commission, 'Net amount': net };
      expect(readPesapal({}, row)[1]?.feeMinor).toBe(feeMinor);
    },
  );
});

describe('an amount after its currency', () => {
  it.each(cases('amounts', ['KES.50', 'ZMW.50', 'Ksh.50']))(
    'in a statement of %s, %s as %s, is rejected if it begins with a point',
    (name, column, text) => {
      expect(() => readWith(name, { [column]: text })).toThrow(/^line 3: .* is not an amount in /);
    },
  );
});

describe('a telephone number masked by the provider', () => {
  it.each(['2547****149', '0712***678', '254700xxx000'])('is stored as written: %s', (phone) => {
    const pulled = {
      transactions: [{ transactionId: 'X', trxDate: '2026-11-03T08:15:30Z', amount: '5', msisdn: phone }],
    };
    for (const party of [phone, `${phone} - MADE UP`, `${phone} MADE UP`])
      expect(readWith('daraja', { 'Other Party Info': party })[1]?.phone).toBe(phone);
    expect(atOnce(darajaStatement.read(Buffer.from(JSON.stringify(pulled)), {}))[0]?.phone).toBe(phone);
    expect(readWith('pawapay', { MSISDN: phone })[1]?.phone).toBe(phone);
    expect(readWith('intasend', { account: phone })[1]?.phone).toBe(phone);
  });

  it.each([
    ['254712000001 - XAVIER', '254712000001'],
    ['0712 345 678 XAVIER', '0712345678'],
    ['174379 - XX LTD', undefined],
    ['xxxxxxxxxx', undefined],
  ])('is not another text: %s', (party, phone) => {
    expect(readWith('daraja', { 'Other Party Info': party })[1]?.phone).toBe(phone);
  });
});
