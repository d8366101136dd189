/**
 * A statement that went through a spreadsheet, changed in every way that one does, shuffled, doubled, cut and imported
 * again: it is rejected, or what it explains is what moved. No line is explained by another line. For every statement
 * of every rail.
 */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { createMerchant } from '../../../src/merchants/merchants';
import { pesapalStatement } from '../../../src/rails/cardproc/providers/pesapal/statement';
import { pawapayStatement } from '../../../src/rails/momo/providers/pawapay/statement';
import { darajaStatement } from '../../../src/rails/stk/providers/daraja/statement';
import { paypalStatement } from '../../../src/rails/walletpay/providers/paypal/statement';
import { intasendStatement } from '../../../src/rails/xb/providers/intasend/statement';
import { reconcile } from '../../../src/reconciliation/reconcile';
import {
  StatementError,
  type StatementFormat,
  type StatementLine,
} from '../../../src/reconciliation/statement';
import type { StatementLineRow } from '../../../src/store/tables';
import { atOnce } from '../../support/at-once';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { box, insertPayment } from '../../support/verify/books-support';

type Cells = Record<string, string>;
interface Kind {
  format: StatementFormat;
  rail: string;
  provider: string;
  rows: Cells[];
  ids: string[];
  amounts: string[];
  dates: string[];
  /** How the provider's file is written; by default CSV. */
  write?: (rows: Cells[]) => string;
}

const digits = (n: number) => `63772400000000001234${String(50 + n)}`;
const uuid = (n: number) => `0a000000-0000-4000-8000-00000000000${String(n)}`;
const json = (rows: Cells[]) =>
  JSON.stringify({
    total_pages: 1,
    transaction_details: rows.map(({ value, currency_code, ...info }) => ({
      transaction_info: { ...info, transaction_amount: { value, currency_code } },
    })),
  });

/** In each: two payments of ours whose ids differ in one digit, an unknown one, a charge, and a failed one. */
const kinds: Record<string, Kind> = {
  'the portal of M-Pesa': {
    ...{ format: darajaStatement, rail: 'stk', provider: 'daraja' },
    ids: ['Receipt No.', 'Linked Transaction ID', 'Other Party Info', 'A/C No.'],
    ...{ amounts: ['Paid In', 'Withdrawn'], dates: ['Completion Time'] },
    rows: (
      [
        ['UKM1E00001', '1,300.00', '', '', '254712000001', 'Pay Bill Online', 'INV-1', 'Completed'],
        ['UKM1E00002', '1,300.00', '', '', '254712000002', 'Pay Bill Online', '00123', 'Completed'],
        ['UKM1E00003', '1,250.50', '', '', '254712000003', 'Pay Bill Online', 'SCHOOL FEES', 'Completed'],
        ['UKM1E00001', '', '-12.00', '', '', 'Pay Bill Charge', '', 'Completed'],
        ['UKM1E00004', '', '-1,300.00', 'UKM1E00001', '254712000001', 'Pay Bill Reversal', '', 'Completed'],
        ['UKM1E00005', '75.00', '', '', '254712000004', 'Pay Bill Online', 'INV-2', 'Failed'],
      ] as const
    ).map(([receipt, paidIn, out, linked, party, reason, account, status], n) => ({
      ...{
        'Receipt No.': receipt,
        'Completion Time': `13-11-2026 08:1${String(n)}:30`,
        Details: `${reason} ${account}`,
      },
      ...{ 'Transaction Status': status, 'Paid In': paidIn, Withdrawn: out, 'Reason Type': reason },
      ...{ 'Other Party Info': party, 'Linked Transaction ID': linked, 'A/C No.': account },
    })),
  },
  'a wallet of pawaPay': {
    ...{ format: pawapayStatement, rail: 'momo', provider: 'pawapay' },
    ...{ ids: ['Transaction ID', 'MSISDN'], amounts: ['Amount', 'Fee'], dates: ['Creation Date'] },
    rows: (
      [
        [uuid(1), '1300.00', 'DEPOSIT', 'COMPLETED'],
        [uuid(2), '1300.00', 'DEPOSIT', 'COMPLETED'],
        [uuid(3), '1250.50', 'PAYOUT', 'COMPLETED'],
        [uuid(1), '12.00', 'DEPOSIT_FEE', 'COMPLETED'],
        [uuid(4), '75.00', 'DEPOSIT', 'FAILED'],
      ] as const
    ).map(([id, amount, type, status], n) => ({
      ...{
        'Creation Date': `2026-11-13T08:1${String(n)}:30Z`,
        MSISDN: `26076300000${String(n)}`,
        'Transaction ID': id,
      },
      ...{ Amount: amount, Currency: 'KES', Type: type, Status: status, Fee: n === 0 ? '4.50' : '' },
    })),
  },
  'the merchant statement of Pesapal': {
    ...{ format: pesapalStatement, rail: 'cardproc', provider: 'pesapal' },
    ...{ ids: ['Confirmation Code', 'Reference'], amounts: ['Amount', 'Commission'], dates: ['Date'] },
    rows: [1, 2, 3].map((n) => ({
      ...{ Date: `13/11/2026 10:0${String(n)}:05`, 'Payment Method': 'Visa', 'Confirmation Code': digits(n) },
      ...{ Currency: 'KES', Amount: n === 3 ? '1,250.50' : '1,300.00', Commission: n === 1 ? '42.00' : '' },
      Reference: `0f00000000000000000000000000000${String(n)}-1`,
    })),
  },
  'a table of IntaSend': {
    ...{ format: intasendStatement, rail: 'xb', provider: 'intasend' },
    ...{ ids: ['invoice_id', 'api_ref', 'account'], amounts: ['value', 'charges'], dates: ['updated_at'] },
    rows: [1, 2, 3, 4].map((n) => ({
      ...{ invoice_id: `6E12345${String(n)}`, state: n === 4 ? 'FAILED' : 'COMPLETE', currency: 'KES' },
      ...{ value: n === 3 ? '1250.50' : '1300', charges: n === 1 ? '42.00' : '' },
      ...{
        updated_at: `2026-11-13T10:0${String(n)}:06+03:00`,
        api_ref: `0f00000000000000000000000000000${String(n)}`,
      },
      account: `25471200000${String(n)}`,
    })),
  },
  'the pages of PayPal': {
    ...{ format: paypalStatement, rail: 'walletpay', provider: 'paypal', write: json },
    ids: ['transaction_id', 'paypal_reference_id', 'invoice_id'],
    ...{ amounts: ['value'], dates: ['transaction_initiation_date'] },
    rows: (
      [
        ['4KS00000MADEUP01A', '1300.00', 'T0006', 'S', ''],
        ['4KS00000MADEUP01B', '1300.00', 'T0006', 'S', ''],
        ['4KS00000MADEUP01C', '1250.50', 'T0006', 'S', ''],
        ['4KS00000MADEUP01D', '-12.00', 'T0106', 'S', '4KS00000MADEUP01A'],
        ['4KS00000MADEUP01E', '-1300.00', 'T1106', 'S', '4KS00000MADEUP01A'],
        ['4KS00000MADEUP01F', '75.00', 'T0006', 'D', ''],
      ] as const
    ).map(([transaction_id, value, transaction_event_code, transaction_status, paypal_reference_id], n) => ({
      ...{ transaction_id, value, currency_code: 'KES', transaction_event_code, transaction_status },
      ...{ paypal_reference_id, transaction_initiation_date: `2026-11-13T08:1${String(n)}:30+0000` },
    })),
  },
};

/** What a spreadsheet, or its user, does to a table. `n` selects where. */
interface Sheet {
  rows: Cells[];
  headings: string[];
  separator: string;
  newline: string;
  mark: string;
  quotes: boolean;
  encoding: 'utf8' | 'utf16le';
  headingAt?: number;
}
type Change = (sheet: Sheet, kind: Kind, n: number) => void;

const picked = <T>(of: readonly T[], n: number): T | undefined => of[n % of.length];
/** Each row as the provider wrote it: a spreadsheet changes the original value, not a changed one. */
const origin = new WeakMap<Cells, Cells>();
function copyOf(row: Cells | undefined): Cells {
  const copy = { ...row };
  origin.set(copy, (row && origin.get(row)) ?? { ...row });
  return copy;
}
/** One cell of the named columns, or a whole column of them, that `change` can change. */
const cells =
  (of: 'ids' | 'amounts' | 'dates', change: (text: string, n: number) => string, whole = false): Change =>
  (sheet, kind, n) => {
    const name = picked(kind[of], n) ?? '';
    const row = picked(sheet.rows, Math.floor(n / 7));
    for (const one of whole ? sheet.rows : row ? [row] : [])
      one[name] = change((origin.get(one) ?? one)[name] ?? '', n);
  };

const asNumber = (text: string) => (/^\d+(?:E\d+)?$/.test(text) ? text : undefined);
/** As the cell shows it if it is narrow, or the number is long. */
function shortened(text: string): string {
  const number = asNumber(text);
  if (number === undefined || number.length < 6 || !Number.isFinite(Number(number))) return text;
  return Number(number).toExponential(5).toUpperCase();
}
const rounded = (text: string) =>
  /^\d{16,}$/.test(text) ? text.slice(0, 15).padEnd(text.length, '0') : text;
const plainNumber = (text: string) => text.replaceAll(',', '');
const reordered: readonly ((parts: string[], clock: string) => string)[] = [
  ([y = '', m = '', d = ''], clock) => `${d}/${m}/${y} ${clock}`,
  ([y = '', m = '', d = ''], clock) => `${m}/${d}/${y} ${clock}`,
  ([y = '', m = '', d = ''], clock) => `${y}-${m}-${d} ${clock}`,
  ([y = '', m = '', d = ''], clock) => `${d}-${m}-${y} ${clock.slice(0, 5)}`,
  ([y = '', , d = ''], clock) => `${d}-Nov-${y} ${clock}`,
  ([y = '', m = '', d = ''], clock) => `${String(Number(d))}/${String(Number(m))}/${y}  ${clock}`,
  (_, clock) => `46339.${clock.replaceAll(':', '')}`,
  (_, clock) => clock.slice(0, 5),
];
function redated(text: string, n: number): string {
  const [, y, m, d] = /^(\d{4})-(\d\d)-(\d\d)/.exec(text) ?? [];
  const [, dd, mm, yy] = /^(\d\d)[-/](\d\d)[-/](\d{4})/.exec(text) ?? [];
  const [clock] = /\d\d:\d\d:\d\d/.exec(text) ?? [''];
  const parts = [y ?? yy ?? '', m ?? mm ?? '', d ?? dd ?? ''];
  return picked(reordered, n)?.(parts, clock) ?? text;
}

const changes: Record<string, Change> = {
  shuffles: (sheet, _, n) => void sheet.rows.sort((one, other) => rank(one, n) - rank(other, n)),
  'doubles a row': ({ rows }, _, n) => void rows.push(copyOf(picked(rows, n))),
  'doubles all rows': ({ rows }) => void rows.push(...rows.map(copyOf)),
  'leaves a row out': ({ rows }, _, n) => {
    if (rows.length > 1) rows.splice(n % rows.length, 1);
  },
  'an empty row': ({ rows, headings }, _, n) =>
    void rows.splice(n % rows.length, 0, Object.fromEntries(headings.map((name) => [name, '']))),
  'changes the columns over': ({ headings }, _, n) =>
    void headings.sort((one, other) => rank({ one }, n) - rank({ one: other }, n)),
  'repeats the headings': (sheet, _, n) => void (sheet.headingAt = n),
  semicolons: (sheet) => void (sheet.separator = ';'),
  tabs: (sheet) => void (sheet.separator = '\t'),
  'LF alone': (sheet) => void (sheet.newline = '\n'),
  'a byte order mark': (sheet) => void (sheet.mark = '\ufeff'),
  'UTF-16': (sheet) => void ((sheet.encoding = 'utf16le'), (sheet.mark = '\ufeff')),
  'quotes everywhere': (sheet) => void (sheet.quotes = true),
  'shortens an id': cells('ids', shortened),
  'shortens a column of ids': cells('ids', shortened, true),
  'rounds an id': cells('ids', rounded),
  'rounds a column of ids': cells('ids', rounded, true),
  'trims the zeros of an id': cells('ids', (text) => text.replace(/^0+(?=\d)/, '')),
  'an id as a decimal': cells('ids', (text) => (/^\d+$/.test(text) ? `${text}.0` : text)),
  'a narrow column': cells('ids', (text) => (text === '' ? '' : '########')),
  'no groups': cells('amounts', plainNumber, true),
  groups: cells('amounts', (text) => plainNumber(text).replace(/^(-?\d)(\d{3})(?!\d)/, '$1,$2'), true),
  'groups of points': cells('amounts', (text) =>
    text.replaceAll(',', '_').replace('.', ',').replace('_', '.'),
  ),
  'a group with a point': cells('amounts', (text) =>
    plainNumber(text).replace(/^(-?\d)(\d{3})\.\d+$/, '$1.$2'),
  ),
  'groups of spaces': cells('amounts', (text) => text.replaceAll(',', '\u202f'), true),
  'trims the zeros of an amount': cells('amounts', (text) => text.replace(/\.0+$|(?<=\.\d)0$/, ''), true),
  'an amount as a power': cells('amounts', (text) =>
    text === '' ? '' : Number(plainNumber(text)).toExponential(1),
  ),
  'an amount with its currency': cells('amounts', (text) => (text === '' ? '' : `KES ${text}`)),
  'brackets for a minus': cells('amounts', (text) => text.replace(/^-(.*)$/, '($1)'), true),
  'a date in another form': cells('dates', redated),
  'dates in another form': cells('dates', redated, true),
};
/** A user's change that no reader can detect: only the earlier data of the line reveals it. Charges stay unchanged. */
const isPayment = (row: Cells) =>
  !Object.values(row).some((text) => /charge|reversal|_FEE$|^T(?:01|11)/i.test(text));
const keeping = (...some: string[]) =>
  Object.fromEntries(Object.entries(changes).filter(([name]) => some.includes(name)));
const slips: Record<string, Change> = {
  'fills an id down': ({ rows }, { ids: [id = ''] }) => {
    const [first, second] = rows.filter(isPayment);
    if (first && second) second[id] = first[id] ?? '';
  },
  'sorts a column alone': ({ rows }, { ids: [id = ''], amounts: [amount = ''] }, n) => {
    const some = rows.filter(isPayment);
    const name = n % 2 ? id : amount;
    const texts = some.map((row) => row[name] ?? '').reverse();
    for (const [at, row] of some.entries()) row[name] = texts[at] ?? '';
  },
  'types an amount anew': ({ rows }, { amounts: [amount = ''] }, n) => {
    const row = picked(rows.filter(isPayment), n);
    if (row) row[amount] = '900';
  },
};
const rank = (row: object, n: number): number =>
  createHash('sha1')
    .update(`${JSON.stringify(row)}${String(n)}`)
    .digest()
    .readUInt32BE();

function fileOf({ format: _, ...kind }: Kind, sheet: Sheet): Buffer {
  if (kind.write) return Buffer.from(`${sheet.mark}${kind.write(sheet.rows)}`);
  const cell = (text: string) =>
    sheet.quotes || text.includes(sheet.separator) || text.includes('"')
      ? `"${text.replaceAll('"', '""')}"`
      : text;
  const table = sheet.rows.map((row) => sheet.headings.map((name) => row[name] ?? ''));
  if (sheet.headingAt !== undefined) table.splice(sheet.headingAt % (table.length + 1), 0, sheet.headings);
  const lines = [sheet.headings, ...table].map((row) => row.map(cell).join(sheet.separator));
  return Buffer.from(`${sheet.mark}${lines.join(sheet.newline)}`, sheet.encoding);
}

type Judged = StatementLineRow & { outcome: string; note: string };
type Step = [name: string, n: number];
function exported(kind: Kind, steps: readonly Step[]): Buffer {
  const rows = kind.rows.map(copyOf);
  const headings = Object.keys(rows[0] ?? {});
  const sheet: Sheet = {
    rows,
    headings,
    separator: ',',
    newline: '\r\n',
    mark: '',
    quotes: false,
    encoding: 'utf8',
  };
  for (const [name, n] of steps) (changes[name] ?? slips[name])?.(sheet, kind, n);
  return fileOf(kind, sheet);
}

const stepsOf = (of: Record<string, Change>) =>
  fc.array(fc.tuple(fc.constantFrom(...Object.keys(of)), fc.nat({ max: 997 })), { maxLength: 4 });
const dateOrder = fc.constantFrom(undefined, 'dmy' as const, 'mdy' as const);
/** The values that make a line the same money. */
const moneyOf = (
  line: Pick<StatementLine, 'providerReference' | 'kind' | 'currency' | 'state'> & { amountMinor: bigint },
) => [line.providerReference, line.kind, line.state, line.currency, String(line.amountMinor)].join(' ');
const readAs = (kind: Kind, file: Buffer, order?: 'dmy' | 'mdy') => {
  try {
    return atOnce(kind.format.read(file, { dateOrder: order }));
  } catch (error) {
    if (error instanceof StatementError) return undefined;
    throw error;
  }
};
const names = Object.keys(kinds);
const kindOf = (name: string): Kind => {
  const kind = kinds[name];
  if (!kind) throw new Error(`no ${name}`);
  return kind;
};

describe.each(names)('%s, through a spreadsheet', (name) => {
  const kind = kindOf(name);
  const true_ = readAs(kind, exported(kind, []), 'dmy') ?? [];

  it('is rejected, or has its original lines, each with its own id, amount and direction', () => {
    expect(true_).toHaveLength(kind.rows.length);
    const known = new Set(true_.map(moneyOf));
    let [read, refused] = [0, 0];
    fc.assert(
      fc.property(stepsOf(changes), dateOrder, (how, order) => {
        const lines = readAs(kind, exported(kind, how), order);
        if (lines === undefined) refused += 1;
        else read += 1;
        expect((lines ?? []).map(moneyOf).filter((money) => !known.has(money))).toEqual([]);
      }),
      { numRuns: 1_500 },
    );
    // Neither everything nor nothing is rejected.
    expect([read > 100, refused > 100]).toEqual([true, true]);
  });
});

describe.each(names)('%s, imported again and again', (name) => {
  const kind = kindOf(name);
  let test: TestDatabase;
  beforeEach(async () => {
    test = await createTestDatabase();
    const { merchant_id: merchantId } = await createMerchant(test.db, box, {
      name: 'Duka',
      environment: 'sandbox',
    });
    const paid = (readAs(kind, exported(kind, []), 'dmy') ?? []).slice(0, 2);
    for (const { providerReference, amountMinor, kind: of } of paid)
      await insertPayment(test.db, {
        ...{ merchantId, rail: kind.rail, amountMinor, kind: of === 'payout' ? 'payout' : 'deposit' },
        with: {
          ...{
            provider: kind.provider,
            provider_reference: providerReference,
            provider_receipt: providerReference,
          },
          ...{ state: 'succeeded', is_final: 1, confirmed_minor: String(amountMinor) },
          ...{ created_at: new Date('2026-11-13T05:00:00Z'), updated_at: new Date('2026-11-13T05:20:00Z') },
        } as never,
      });
  });
  afterEach(() => test.drop());

  const period = { from: new Date('2026-01-01T00:00:00Z'), to: new Date('2027-01-01T00:00:00Z') };
  const bring = (content: Buffer, n: number, order?: 'dmy' | 'mdy') =>
    reconcile(test.db, kind.format, period, { name: `${String(n)}.csv`, content, dateOrder: order }).catch(
      (error: unknown) => {
        if (!(error instanceof StatementError)) throw error;
      },
    );

  it.each([
    ['a spreadsheet', changes],
    // Of a spreadsheet's own changes, some that leave a readable file.
    [
      'a user with a spreadsheet',
      { ...slips, ...keeping('shuffles', 'doubles a row', 'leaves a row out', 'no groups') },
    ],
  ])(
    'after %s explains each line by itself, once, and never more money than moved',
    async (_who, touched) => {
      const true_ = readAs(kind, exported(kind, []), 'dmy') ?? [];
      const moved = new Map<string, number>();
      for (const line of true_) moved.set(moneyOf(line), (moved.get(moneyOf(line)) ?? 0) + 1);
      let n = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(stepsOf(touched), dateOrder), { minLength: 1, maxLength: 3 }),
          async (files) => {
            for (const [how, order] of files) await bring(exported(kind, how), (n += 1), order);
            const rows = await test
              .db('reconciliation_results as r')
              .join('statement_lines as l', 'l.line_id', 'r.line_id')
              .orderBy('l.line_id')
              .select<Judged[]>('r.outcome', 'r.note', 'l.*');
            const reported = rows.map((row) => ({
              outcome: row.outcome,
              note: row.note,
              id: row.line_id,
              money: moneyOf({
                ...{
                  providerReference: row.provider_reference,
                  kind: row.kind,
                  state: row.state,
                  currency: row.currency,
                },
                amountMinor: BigInt(row.amount_minor),
              }),
            }));
            const explained = reported
              .filter(({ outcome }) => ['agreed', 'fee'].includes(outcome))
              .map(({ money }) => money);
            // Each represents one line that the provider wrote.
            expect(explained.filter((money) => !moved.has(money))).toEqual([]);
            expect(explained.length).toBe(new Set(explained).size);
            // A line that was imported before is the one that is named, and is no repetition itself.
            const byId = new Map(reported.map((line) => [line.id, line]));
            for (const { money, note } of reported.filter(({ outcome }) => outcome === 'seen_before')) {
              const before = byId.get(/^as line (\d+)$/.exec(note)?.[1] ?? '');
              expect([before?.money, before?.outcome === 'seen_before']).toEqual([money, false]);
            }
          },
        ),
        { numRuns: 25 },
      );
      // If every file was read correctly or rejected, the original file has both payments.
      if (touched !== changes) return;
      await bring(exported(kind, []), 0, 'dmy');
      const agreed = test.db('reconciliation_results').where({ outcome: 'agreed' }).whereNotNull('line_id');
      expect(await agreed).toHaveLength(2);
    },
  );
});
