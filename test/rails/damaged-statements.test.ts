/** Every reader of a provider's statement refuses what a spreadsheet has changed, and decides nothing by words that people type. */
import { intasendStatement } from '../../src/rails/xb/providers/intasend/statement';
import { pesapalStatement } from '../../src/rails/cardproc/providers/pesapal/statement';
import { pawapayStatement } from '../../src/rails/momo/providers/pawapay/statement';
import { darajaStatement } from '../../src/rails/stk/providers/daraja/statement';
import { paypalStatement } from '../../src/rails/walletpay/providers/paypal/statement';
import type { StatementFormat } from '../../src/reconciliation/statement';
import { atOnce } from '../support/at-once';

type Cells = Record<string, string>;
const quoted = (cell: string) => (/[",;]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
const csvOf = (rows: Cells[]) =>
  [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))]
    .map((cells) => cells.map(quoted).join(','))
    .join('\r\n');

const daraja = {
  'Receipt No.': 'UKM1AAAAA1',
  'Completion Time': '13-11-2026 08:15:30',
  Details: 'Pay Bill from 254712000001 - MADE UP Acc. INV-1',
  'Transaction Status': 'Completed',
  'Paid In': '1,300.00',
  Withdrawn: '',
  'Reason Type': 'Pay Bill Online',
  'Other Party Info': '254712000001 - MADE UP',
  'Linked Transaction ID': '',
  'A/C No.': 'INV-1',
};
const pawapay = {
  'Creation Date': '2026-11-13T08:15:30Z',
  MSISDN: '260763000001',
  'Transaction ID': '0a000000-0000-4000-8000-000000000001',
  Amount: '150.00',
  Currency: 'ZMW',
  Type: 'DEPOSIT',
  Status: 'COMPLETED',
  Fee: '4.50',
};
const pesapal = {
  Date: '13/11/2026 10:05 AM',
  'Payment Method': 'Visa',
  'Confirmation Code': '6377240000000000123456',
  Currency: 'KES',
  Amount: '1,200.00',
  Commission: '42.00',
  Reference: '0f000000000000000000000000000001-1',
};
const intasend = {
  invoice_id: 'MADEUP1',
  state: 'COMPLETE',
  value: '5000',
  currency: 'KES',
  charges: '150',
  updated_at: '2026-11-13T10:06:06+03:00',
  api_ref: '0f000000000000000000000000000003',
  account: '254712000001',
};

interface Reader {
  format: StatementFormat;
  row: Cells;
  ids: string[];
  phones: string[];
  amounts: string[];
}
const readers: Record<string, Reader> = {
  daraja: {
    format: darajaStatement,
    row: daraja,
    ids: ['Receipt No.', 'Linked Transaction ID', 'A/C No.'],
    phones: ['Other Party Info'],
    amounts: ['Paid In'],
  },
  pawapay: {
    format: pawapayStatement,
    row: pawapay,
    ids: ['Transaction ID'],
    phones: ['MSISDN'],
    amounts: ['Amount', 'Fee'],
  },
  pesapal: {
    format: pesapalStatement,
    row: pesapal,
    ids: ['Confirmation Code', 'Reference'],
    phones: [],
    amounts: ['Amount', 'Commission'],
  },
  intasend: {
    format: intasendStatement,
    row: intasend,
    ids: ['invoice_id', 'api_ref'],
    phones: ['account'],
    amounts: ['value', 'charges'],
  },
};
const cases = (of: 'ids' | 'phones' | 'amounts', texts: string[]) =>
  Object.entries(readers).flatMap(([name, reader]) =>
    reader[of].flatMap((column) => texts.map((text) => [name, column, text] as const)),
  );
const readWith = (name: string, changes: Cells) => {
  const { format, row } = readers[name] as Reader;
  return atOnce(format.read(Buffer.from(csvOf([row, { ...row, ...changes }])), { dateOrder: 'dmy' }));
};

describe('a statement that a spreadsheet has saved', () => {
  it.each(Object.keys(readers))('of %s is read as it came', (name) => {
    expect(readWith(name, {})).toHaveLength(2);
  });

  it.each(
    cases('ids', [
      ...['6.37724E+21', '6,37724E+21', '6.37724e+21', '6.37724E21', '1E+10', '#####', '##########'],
      ...['#NAME?', '01-Mar', '1-Mar-26', 'Mar-26', '03/11/2026', '2026-11-03 00:00:00', '12:30'],
      ...['637724000000000000000000', '6377240000.0', '637,724,000', 'TRUE', "'0637724"],
    ]),
  )('of %s with the identifier %s as %s is refused, with its line and why', (name, column, text) => {
    expect(() => readWith(name, { [column]: text })).toThrow(
      /^line 3: ".+" is no .+: .+; bring the file as the provider exports it$/,
    );
  });

  it.each(cases('phones', ['2.54712E+11', '2,54712E+11', '#####', '254712000001.0', '254,712,000,001']))(
    'of %s with the telephone number %s as %s is refused',
    (name, column, text) => {
      expect(() => readWith(name, { [column]: text })).toThrow(/^line 3: .* telephone number: /);
    },
  );

  it('of numbers that were rounded to a million is refused, and one such number is a customer', () => {
    const rows = ['254712000000', '254713000000', '254714000000'].map((party) => ({
      ...daraja,
      'Other Party Info': party,
    }));
    const read = (some: Cells[]) => atOnce(darajaStatement.read(Buffer.from(csvOf(some)), {}));
    expect(() => read(rows)).toThrow(
      'line 2: "254712000000" is no telephone number: a spreadsheet has rounded it',
    );
    expect(read(rows.slice(0, 1))[0]?.phone).toBe('254712000000');
    expect(() => read([{ ...daraja, 'Other Party Info': '712000001' }])).toThrow(
      'has lost the zero in front',
    );
  });

  it('of long codes that all end in zeros is refused, and one that ends in a zero is a code', () => {
    const codes = (...all: string[]) => all.map((code) => ({ ...pesapal, 'Confirmation Code': code }));
    const read = (some: Cells[]) => atOnce(pesapalStatement.read(Buffer.from(csvOf(some)), {}));
    expect(() => read(codes('123456789012345000', '123456789012346000'))).toThrow('has rounded it');
    expect(read(codes('1234567890123450', '1234567890123457'))).toHaveLength(2);
  });

  it('with what a customer typed as the account is read, whatever that looks like', () => {
    const typed = (account: string) => ({
      Details: `Pay Bill from 254712000001 - MADE UP Acc. ${account}`,
      'A/C No.': account,
    });
    for (const account of ['6.3E+21', '#####', '01-Mar', '2026-11-03'])
      expect(readWith('daraja', typed(account))[1]?.ourReference).toBe(account);
  });

  it('whose dates are of two kinds is refused, even where it is said which part comes first', () => {
    const mixed = { daraja: '2026-03-11 08:15:30', pesapal: '2026-03-11 10:05:00' };
    const column = { daraja: 'Completion Time', pesapal: 'Date' };
    for (const name of ['daraja', 'pesapal'] as const) {
      const { format, row } = readers[name] as Reader;
      const file = Buffer.from(csvOf([row, { ...row, [column[name]]: mixed[name] }]));
      expect(() => atOnce(format.read(file, {}))).toThrow('line 3: ');
      expect(() => atOnce(format.read(file, { dateOrder: 'dmy' }))).toThrow('line 3: ');
    }
  });

  it('of PayPal, or as JSON, is refused where digits are lost', () => {
    const transaction = {
      transaction_id: '4KS00000MADEUP01A',
      transaction_event_code: 'T0006',
      transaction_initiation_date: '2026-11-03T08:15:30+0000',
      transaction_amount: { currency_code: 'USD', value: '5.00' },
      transaction_status: 'S',
    };
    const read = (changes: object) =>
      atOnce(
        paypalStatement.read(
          Buffer.from(
            JSON.stringify({ transaction_details: [{ transaction_info: { ...transaction, ...changes } }] }),
          ),
          {},
        ),
      );
    expect(read({})).toHaveLength(1);
    for (const name of ['transaction_id', 'paypal_reference_id', 'invoice_id'])
      expect(() => read({ [name]: '6.37724E+21' })).toThrow('line 1: "6.37724E+21" is no ');
    for (const value of ['1.250', '1.250,00', '1,25', '5.000'])
      expect(() => read({ transaction_amount: { currency_code: 'USD', value } })).toThrow(
        'is no amount in USD',
      );
    for (const name of ['invoice_id', 'account', 'api_ref']) {
      const invoice = { ...intasend, [name]: '6.37724E+21' };
      expect(() => atOnce(intasendStatement.read(Buffer.from(JSON.stringify([invoice])), {}))).toThrow(
        'line 1: "6.37724E+21"',
      );
    }
    const pulled = {
      transactionId: 'X',
      trxDate: '2026-11-03T08:15:30Z',
      amount: '5',
      msisdn: '2.54712E+11',
    };
    expect(() =>
      atOnce(darajaStatement.read(Buffer.from(JSON.stringify({ transactions: [pulled] })), {})),
    ).toThrow('line 1');
  });
});

describe('an amount that can be read in two ways', () => {
  it.each(
    cases('amounts', [
      '1.250',
      '20.000',
      '1.250,00',
      '1,25',
      '12.345.678',
      '1.2500',
      '1 25',
      '1.25E+3',
      "1'250",
    ]),
  )('in a statement of %s, %s as %s, is refused', (name, column, text) => {
    expect(() => readWith(name, { [column]: text })).toThrow(/^line 3: .* is no amount in /);
  });

  it('is refused in a currency without cents, too', () => {
    const ugx = (value: string) =>
      readWith('intasend', { value, currency: 'UGX', charges: '' })[1]?.amountMinor;
    for (const text of ['20.000', '1.250', '20.50', '20.5'])
      expect(() => ugx(text)).toThrow('is no amount in UGX');
    expect([ugx('20,000'), ugx('20000'), ugx('20.00')]).toEqual([20_000n, 20_000n, 20n]);
  });

  it('is refused where an invoice came as JSON, as a text or as a number', () => {
    for (const value of ['"1.250"', '20.000', '1.25e3', '"1,25"'])
      expect(() =>
        atOnce(intasendStatement.read(Buffer.from(JSON.stringify([intasend]).replace('"5000"', value)), {})),
      ).toThrow('is no amount in KES');
  });
});

describe('a charge of M-Pesa', () => {
  const out = { 'Paid In': '', Withdrawn: '-1,300.00', 'Other Party Info': '', 'A/C No.': '' };
  const kindOf = (changes: Cells) => readWith('daraja', { ...out, ...changes })[1]?.kind;

  it.each([
    { 'Reason Type': 'Pay Bill Charge', Details: 'Pay Bill Charge' },
    { 'Reason Type': 'Business Pay Bill Charge', Details: 'Business Pay Bill Charge' },
    { 'Reason Type': 'Pay Merchant Charge', Details: '' },
    { 'Reason Type': '', Details: 'Business Charge' },
    { 'Reason Type': '', Details: 'Pay  Bill Charge' },
  ])('is told by its reason type, or by details that are nothing but its name: %j', (changes) => {
    expect(kindOf(changes)).toBe('fee');
  });

  it.each([
    {
      'Reason Type': 'Pay Bill Reversal',
      Details: 'Reversal of Pay Bill from 254712000001 - MADE UP Acc. SCHOOL FEES',
      'Linked Transaction ID': 'UKM1AAAAA1',
      'Other Party Info': '254712000001 - MADE UP',
    },
    { 'Reason Type': 'Pay Bill Reversal', Details: 'Pay Bill Charge' },
    { 'Reason Type': 'Business Payment to Customer', Details: 'Pay Bill Charge' },
    { 'Reason Type': 'Pay Bill Charge', Details: 'Pay Bill Charge', 'Linked Transaction ID': 'UKM1AAAAA1' },
    {
      'Reason Type': 'Pay Bill Charge',
      Details: 'Pay Bill Charge',
      'Other Party Info': '254712000001 - MADE UP',
    },
    { 'Reason Type': 'Pay Bill Charge', Details: 'Pay Bill Charge', 'A/C No.': 'TARIFF' },
    { 'Reason Type': 'Pay Bill Charge', Details: 'Reversal of Pay Bill Charge' },
    { 'Reason Type': 'Pay Bill Charge Reversal', Details: 'Pay Bill Charge' },
    { 'Reason Type': '', Details: 'School fees' },
    { 'Reason Type': '', Details: 'Ada za shule, charges and tariff' },
    { 'Reason Type': '', Details: 'Payment to CHARGE POINT LTD' },
    { 'Reason Type': 'Organization Settlement', Details: 'Withdrawal of fees to a bank' },
  ])('is none where anybody stands on the other side, or a word in the text says so: %j', (changes) => {
    expect(kindOf(changes)).not.toBe('fee');
  });

  it('taken by another provider is told by its type as a whole', () => {
    const kind = (type: string) => readWith('pawapay', { Type: type })[1]?.kind;
    expect(['DEPOSIT_FEE', 'PAYOUT_FEE', 'DEPOSIT', 'PAYOUT_REVERSAL'].map(kind)).toEqual([
      ...['fee', 'fee', 'collection', 'other'],
    ]);
    for (const type of ['DEPOSIT_FEE_REVERSAL', 'COFFEE', 'FEEDER_TRANSFER', 'SCHOOL_FEE'])
      expect(kind(type)).toBe('other');
    const state = (status: string) => readWith('pawapay', { Status: status })[1]?.state;
    expect([state('FAILED'), state('NOT FAILED'), state('COMPLETED')]).toEqual([
      'failed',
      'completed',
      'completed',
    ]);
  });
});
