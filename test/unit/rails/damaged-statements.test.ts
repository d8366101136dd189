/**
 * Every reader of a provider's statement rejects a file that a spreadsheet has changed, and never decides by texts that
 * customers type.
 */
import { intasendStatement } from '../../../src/rails/xb/providers/intasend/statement';
import { pesapalStatement } from '../../../src/rails/cardproc/providers/pesapal/statement';
import { darajaStatement } from '../../../src/rails/stk/providers/daraja/statement';
import { paypalStatement } from '../../../src/rails/walletpay/providers/paypal/statement';
import { mpesaStatement } from '../../../simulator/providers/stk/statement';
import { atOnce } from '../../support/at-once';
import {
  cases,
  csvOf,
  daraja,
  intasend,
  pesapal,
  readers,
  readWith,
  type Cells,
  type Reader,
} from './statement-rows';

describe('a statement that a spreadsheet has saved', () => {
  it.each(Object.keys(readers))('of %s is read as exported', (name) => {
    expect(readWith(name, {})).toHaveLength(2);
  });

  it.each(
    cases('ids', [
      ...['6.37724E+21', '6,37724E+21', '6.37724e+21', '6.37724E21', '1E+10', '#####', '##########'],
      ...['#NAME?', '01-Mar', '1-Mar-26', 'Mar-26', '03/11/2026', '2026-11-03 00:00:00', '12:30'],
      ...['637724000000000000000000', '6377240000.0', '637,724,000', 'TRUE', "'0637724"],
    ]),
  )('of %s with the identifier %s as %s is rejected, with its line and why', (name, column, text) => {
    expect(() => readWith(name, { [column]: text })).toThrow(
      /^line 3: ".+" is not .+: .+; upload the provider's original export$/,
    );
  });

  it.each(cases('phones', ['2.54712E+11', '2,54712E+11', '#####', '254712000001.0', '254,712,000,001']))(
    'of %s with the telephone number %s as %s is rejected',
    (name, column, text) => {
      expect(() => readWith(name, { [column]: text })).toThrow(/^line 3: .* phone number: /);
    },
  );

  it('of numbers that were rounded to a million is rejected, and one such number is a customer', () => {
    const rows = ['254712000000', '254713000000', '254714000000'].map((party) => ({
      ...daraja,
      'Other Party Info': party,
    }));
    const read = (some: Cells[]) => atOnce(darajaStatement.read(Buffer.from(csvOf(some)), {}));
    expect(() => read(rows)).toThrow(
      'line 2: "254712000000" is not a valid phone number: a spreadsheet has rounded it',
    );
    expect(read(rows.slice(0, 1))[0]?.phone).toBe('254712000000');
    expect(() => read([{ ...daraja, 'Other Party Info': '712000001' }])).toThrow(
      'has lost the zero in front',
    );
  });

  describe('of long codes', () => {
    const readCodes = (codes: string[]) =>
      atOnce(
        pesapalStatement.read(
          Buffer.from(csvOf(codes.map((code) => ({ ...pesapal, 'Confirmation Code': code })))),
          {},
        ),
      );
    /** Any number of codes that do not end in a zero, and then as many as a spreadsheet would have rounded. */
    const codes = (digits: number, count: number, rounded: number) =>
      Array.from({ length: count }, (_, n) => {
        const kept = String(637_724_000_000_001 + n);
        return kept + (n < rounded ? '0' : '7').repeat(digits - kept.length);
      });

    it.each([
      [16, 6, 6],
      [18, 2, 2],
      [22, 3, 1],
      [24, 1, 1],
      [22, 1_000, 2],
      [20, 1_000, 3],
      [16, 1_000, 1_000],
    ])('with %d digits, of %d of which %d end in zeros, is rejected', (digits, count, rounded) => {
      expect(() => readCodes(codes(digits, count, rounded))).toThrow(
        /^line 2: "6377240\d+" is not a valid transaction id: a spreadsheet has rounded it/,
      );
    });

    // By chance, more would end in zeros in one file of a million.
    it.each([
      [16, 1, 1],
      [16, 2, 2],
      [17, 1, 1],
      [16, 1_000, 147],
      [17, 1_000, 28],
      [18, 1_000, 9],
      [20, 1_000, 2],
      [22, 1_000, 1],
    ])('with %d digits, of %d of which %d end in zeros by chance, is read', (digits, count, rounded) => {
      expect(readCodes(codes(digits, count, rounded))).toHaveLength(count);
    });

    it('is judged by each code once, however many lines it has', () => {
      expect(readCodes(Array<string>(50).fill('6377240000000010'))).toHaveLength(50);
    });
  });

  it("with a customer's text as the account is read, whatever the text", () => {
    const typed = (account: string) => ({
      Details: `Pay Bill from 254712000001 - MADE UP Acc. ${account}`,
      'A/C No.': account,
    });
    for (const account of ['6.3E+21', '#####', '01-Mar', '2026-11-03', '=1+1', "'x", 'TRUE', 'A Acc. B'])
      expect(readWith('daraja', typed(account))[1]?.ourReference).toBe(account);
  });

  it('as our simulator exports it is read, whatever customers typed as their accounts', () => {
    const accounts = [
      '=1+1',
      '@SUM(A1)',
      '"quoted',
      'a,b;c',
      '1,000',
      '00123',
      '1e5',
      'TOTAL',
      'Ada  ya',
      'Ren\u00e9e \u{1f34e}',
    ];
    const lines = accounts.map((callerReference, n) => ({
      ...{ provider: 'daraja', reference: String(n), receipt: `UKM1E0000${String(n)}`, callerReference },
      ...{ amount: '100.00', currency: 'KES', phone: '254712000001', at: '2026-11-13T08:15:30Z' },
    }));
    const read = atOnce(darajaStatement.read(Buffer.from(mpesaStatement(lines)), {}));
    expect(read.map(({ ourReference, kind }) => [ourReference, kind])).toEqual(
      accounts.map((account) => [account, 'collection']),
    );
  });

  it('is read if the details of a row are cut off within the account', () => {
    const cut = {
      Details: 'Pay Bill from 254712000001 - MADE UP Acc. SCHOOL FE',
      'A/C No.': 'SCHOOL FEES 7',
    };
    expect(readWith('daraja', cut)[1]?.ourReference).toBe('SCHOOL FEES 7');
  });

  it('with dates of two formats is rejected, even with a given date order', () => {
    const mixed = { daraja: '2026-03-11 08:15:30', pesapal: '2026-03-11 10:05:00' };
    const column = { daraja: 'Completion Time', pesapal: 'Date' };
    for (const name of ['daraja', 'pesapal'] as const) {
      const { format, row } = readers[name] as Reader;
      const file = Buffer.from(csvOf([row, { ...row, [column[name]]: mixed[name] }]));
      expect(() => atOnce(format.read(file, {}))).toThrow('line 3: ');
      expect(() => atOnce(format.read(file, { dateOrder: 'dmy' }))).toThrow('line 3: ');
    }
  });

  it('of PayPal, or as JSON, is rejected if digits are lost', () => {
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
      expect(() => read({ [name]: '6.37724E+21' })).toThrow('line 1: "6.37724E+21" is not a valid ');
    for (const value of ['1.250', '1.250,00', '1,25', '5.000'])
      expect(() => read({ transaction_amount: { currency_code: 'USD', value } })).toThrow(
        'is not an amount in USD',
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

describe('an ambiguous amount', () => {
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
  )('in a statement of %s, %s as %s, is rejected', (name, column, text) => {
    expect(() => readWith(name, { [column]: text })).toThrow(/^line 3: .* is not an amount in /);
  });

  it('is rejected in a currency without cents, too', () => {
    const ugx = (value: string) =>
      readWith('intasend', { value, currency: 'UGX', charges: '' })[1]?.amountMinor;
    for (const text of ['20.000', '1.250', '20.50', '20.5'])
      expect(() => ugx(text)).toThrow('is not an amount in UGX');
    expect([ugx('20,000'), ugx('20000'), ugx('20.00')]).toEqual([20_000n, 20_000n, 20n]);
  });

  it('is rejected in JSON invoices, as a text or as a number', () => {
    for (const value of ['"1.250"', '20.000', '1.25e3', '"1,25"'])
      expect(() =>
        atOnce(intasendStatement.read(Buffer.from(JSON.stringify([intasend]).replace('"5000"', value)), {})),
      ).toThrow('is not an amount in KES');
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
  ])('is known by its reason type, or by details that are nothing but its name: %j', (changes) => {
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
  ])('is not assumed with another party, or a word in the text: %j', (changes) => {
    expect(kindOf(changes)).not.toBe('fee');
  });

  it('of another provider is known by its type as a whole', () => {
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
