import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { darajaStatement } from '../../../../src/rails/stk/providers/daraja/statement';
import { atOnce } from '../../../support/at-once';

const fixture = readFileSync(join(__dirname, '../../../fixtures/statements/daraja.csv'));
const text = fixture.toString('utf8');
const read = (file: string | Buffer, dateOrder?: 'dmy' | 'mdy') =>
  atOnce(darajaStatement.read(Buffer.from(file as string), { dateOrder }));
/** One transaction, with some changed fields. */
function row(changes: Partial<Record<'receipt' | 'at' | 'status' | 'paidIn' | 'withdrawn', string>>): string {
  const cells = { receipt: 'R1', at: '13/11/2026 10:00', status: 'Completed', paidIn: '1', withdrawn: '' };
  const { receipt, at, status, paidIn, withdrawn } = { ...cells, ...changes };
  const heading = 'Receipt No.,Completion Time,Transaction Status,Paid In,Withdrawn';
  return `${heading}\n${[receipt, at, status, paidIn, withdrawn].join(',')}`;
}

describe("an organisation's statement from the M-Pesa portal", () => {
  it('is read past its preamble, repeated headings, totals and trailing commas', () => {
    expect(read(fixture)).toEqual([
      {
        n: 7,
        providerReference: 'UKM1AAAAA1',
        ourReference: 'INV-1',
        kind: 'collection',
        amountMinor: 120_000n,
        currency: 'KES',
        at: new Date('2026-11-03T05:15:30Z'),
        state: 'completed',
        phone: '254712000001',
        description: 'Pay Bill Online from 254712000001 - MADE UP',
      },
      expect.objectContaining({ n: 8, providerReference: 'UKM1AAAAA1', kind: 'fee', amountMinor: 1_200n }),
      expect.objectContaining({ n: 9, kind: 'collection', amountMinor: 5_000n }),
      expect.objectContaining({
        n: 11,
        kind: 'refund',
        originalReference: 'UKM1AAAAA1',
        amountMinor: 120_000n,
      }),
      expect.objectContaining({ n: 12, kind: 'other', amountMinor: -9_000_000n }),
      expect.objectContaining({ n: 13, kind: 'collection', state: 'failed' }),
    ]);
    expect(read(fixture)[2]?.phone).toBe('2547****0002');
  });

  const plain = text.replace('\ufeff', '');
  it.each([
    ['UTF-8 without a mark', Buffer.from(plain)],
    ['UTF-16, little end first, with its mark', Buffer.from(text, 'utf16le')],
    ['UTF-16, little end first', Buffer.from(plain, 'utf16le')],
    ['UTF-16, big end first, with its mark', Buffer.from(text, 'utf16le').swap16()],
    ['UTF-16, big end first', Buffer.from(plain, 'utf16le').swap16()],
    ['lines that end with LF', Buffer.from(text.replaceAll('\r\n', '\n'))],
  ])('is the same in %s', (_, file) => {
    expect(read(file)).toEqual(read(fixture));
  });

  it('is the same with semicolons, and names are read in Windows-1252', () => {
    const semicolons = row({}).replaceAll(',', ';');
    expect(read(semicolons)).toEqual(read(row({})));
    const named = Buffer.from(
      'Receipt No.,Completion Time,Transaction Status,Paid In,Withdrawn,Details\nR1,13/11/2026,Completed,1,,Ren\u00e9e',
      'latin1',
    );
    expect(read(named)[0]?.description).toBe('Ren\u00e9e');
  });

  it('has no lines if there were no transactions', () => {
    expect(read(row({}).split('\n')[0] ?? '')).toEqual([]);
  });

  it.each([
    ['', 'the file is empty'],
    [' \r\n', 'the file is empty'],
    ['PK\u0003\u0004', 'an Excel workbook'],
    ['%PDF-1.7', 'a PDF'],
    ['a,b\n1,2', 'no line has the headings "Receipt No.", "Completion Time"'],
    [row({}).replace('R1', '"R1'), 'this is not CSV'],
    [row({ at: '03/11/2026 10:00' }), 'line 2: "03/11/2026 10:00" can be read in two ways'],
    [row({ at: '03/11/26 10:00' }), 'line 2: "03/11/26 10:00" is not a readable date'],
    [row({ at: '31/11/2026 10:00' }), 'line 2: "31/11/2026 10:00" is not a readable date'],
    [row({ at: '' }), 'line 2: "" is not a readable date'],
    [row({ status: 'Odd' }), 'line 2: "Odd" is not a transaction status'],
    [row({ status: 'constructor' }), 'line 2: "constructor" is not a transaction status'],
    [row({ paidIn: '1,200.00' }), 'line 2: it is both paid in and withdrawn'],
    [row({ paidIn: '1,000.00' }), 'line 2: "000.00" is not an amount in KES'],
    [`${row({})}\nR2,13/11/2026,Completed,1,000.00,,`, 'line 3: there are more fields than headings'],
    [row({ withdrawn: ',x' }), 'line 2: there are more fields than headings'],
    [row({ paidIn: '"1.200,00"' }), 'line 2: "1.200,00" is not an amount in KES'],
    [row({ paidIn: '1e3' }), 'line 2: "1e3" is not an amount in KES'],
    [row({ paidIn: 'USD 1' }), 'line 2: "USD 1" is not an amount in KES'],
    [row({ paidIn: '0.00' }), 'line 2: nothing is paid in or withdrawn'],
    [row({ withdrawn: '1' }), 'line 2: it is both paid in and withdrawn'],
  ])('is rejected as %j', (file, sentence) => {
    expect(() => read(file)).toThrow(sentence);
  });

  it('is rejected with dates of two formats, and read with the given order if they are ambiguous', () => {
    const two = `${row({ at: '13/11/2026 10:00' })}\nR2,11/14/2026 10:00,Completed,1,`;
    expect(() => read(two)).toThrow('line 3: "11/14/2026 10:00" has its day in another place than');
    expect(read(row({ at: '03/11/2026 10:00' }), 'mdy')[0]?.at).toEqual(new Date('2026-03-11T07:00:00Z'));
    expect(read(row({ at: '03/11/2026 10:00' }), 'dmy')[0]?.at).toEqual(new Date('2026-11-03T07:00:00Z'));
    expect(() => read(two, 'dmy')).toThrow('line 3: "11/14/2026 10:00" is not a readable date');
  });
});
