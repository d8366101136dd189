/** A list of payouts as people bring it: what is read of it, and what is told by its line. */
import { finish } from '../../../src/domain/in-slices';
import { readPayoutFile } from '../../../src/portal/payouts/read-file';
import { atOnce, turnsUntil } from '../../support/at-once';

const heading = 'phone_number,amount,currency,account_reference';
const read = (text: string, rail = 'momo') => atOnce(readPayoutFile(rail, Buffer.from(text)));
const told = (text: string, rail?: string) =>
  read(text, rail).faults.map(({ what, line, column }) => [what, line, column]);
const row = { phone_number: '+260763000789', country: 'ZMB', amount: '40.00', currency: 'ZMW' };

describe('a file of payouts', () => {
  it.each([
    ['commas', `${heading}\n+260763000789,40.00,ZMW,JAN-1\n`],
    ['a mark of its bytes, and CR LF', `\ufeff${heading}\r\n+260763000789,40.00,ZMW,JAN-1\r\n\r\n`],
    ['semicolons', `${heading.replaceAll(',', ';')}\n+260763000789;40.00;ZMW;JAN-1`],
    ['tabs', `${heading.replaceAll(',', '\t')}\n+260763000789\t40.00\tZMW\tJAN-1`],
    [
      'quotes, and other columns first',
      `Amount,"Currency",account_reference,Phone_Number\n40.00,zmw,"JAN-1",'+260763000789`,
    ],
    ['what a spreadsheet makes of numbers', `${heading}\n260763000789,40.00,ZMW,JAN-1\n,,,\n`],
    ['numbers as people write them', `${heading}\n00260 763-000 789,40.00,ZMW,JAN-1`],
  ])('is read with %s', (_what, text) => {
    expect(read(text)).toEqual({
      rows: [{ line: 2, fields: { ...row, account_reference: 'JAN-1' } }],
      faults: [],
    });
  });

  it('keeps everything else as it was written, and each line by its own number', () => {
    const { rows, faults } = read(
      `${heading},customer_message\n260763000789,"1,250.00",ZMW,"of ""May""","two\nlines"\n1,2,3,4,5\n`,
    );
    expect([faults, rows.map(({ line }) => line)]).toEqual([[], [3, 4]]);
    expect(rows[0]?.fields).toMatchObject({
      amount: '1,250.00',
      account_reference: 'of "May"',
      customer_message: 'two\nlines',
    });
    expect(rows[1]?.fields['phone_number']).toBe('1');
  });

  it.each([
    ['no line', heading, [['empty', 0, '']]],
    ['nothing', '', [['empty', 0, '']]],
    [
      'a column that is missing',
      'phone_number,amount,currency\n1,2,3',
      [['missing', 1, 'account_reference']],
    ],
    ['a column of no payout', `${heading},ammount\n1,2,3,4,5`, [['unknown', 1, 'ammount']]],
    ['a column twice', `${heading},amount\n1,2,3,4,5`, [['twice', 1, 'amount']]],
    ['a line that is too short', `${heading}\n1,2,3\n`, [['width', 2, '']]],
    ['a line that is too long', `${heading}\n1,2,3,4,5\n`, [['width', 2, '']]],
    [
      'a formula',
      `${heading}\n1,2,ZMW,=1+1\n1,2,ZMW,@SUM(A1)\n1,-2+3,ZMW,x`,
      [
        ['formula', 2, 'account_reference'],
        ['formula', 3, 'account_reference'],
        ['formula', 4, 'amount'],
      ],
    ],
    [
      'a formula that begins where a spreadsheet of another country ends the cell',
      `${heading}\n1,2,ZMW,T;=1+cmd\n1,2,ZMW,a|@SUM(A1)\n1,2,ZMW,"a\t-2+3"\n1,2,ZMW,"a,＝1"`,
      [2, 3, 4, 5].map((line) => ['formula', line, 'account_reference']),
    ],
    ['a number whose digits are lost', `${heading}\n2.60763E+11,2,ZMW,x`, [['shortened', 2, 'phone_number']]],
    ['a column too narrow to be shown', `${heading}\n########,2,ZMW,x`, [['shortened', 2, 'phone_number']]],
    ['a quote that nobody closes', `${heading}\n1,"2,ZMW,x`, [['broken', expect.any(Number), '']]],
    ['a thousand and one', `${heading}\n${'1,2,ZMW,x\n'.repeat(1_001)}`, [['many', 0, '']]],
  ])('is told what is wrong with %s', (_what, text, faults) => {
    expect(told(text)).toEqual(faults);
    expect(read(text).rows.length === 0 || faults.length > 0).toBe(true);
  });

  it.each([
    ['workbook', Buffer.from('PK\u0003\u0004')],
    ['encoding', Buffer.from([0x61, 0xe9, 0x0a])],
    ['encoding', Buffer.from('a\0b\n')],
    ['encoding', Buffer.from(`\ufeff${heading}`, 'utf16le')],
  ])('is refused as %s', (what, bytes) => {
    expect(atOnce(readPayoutFile('momo', bytes))).toEqual({
      rows: [],
      faults: [{ what, line: 0, column: '' }],
    });
  });

  const megabyte = 1024 * 1024;
  it.each([
    ['line feeds', '\n', 'lines'],
    ['carriage returns', '\r', 'lines'],
    ['both', '\r\n', 'lines'],
    ['lines of commas', ',,,\n', 'lines'],
    ['spaces in lines', ' \n', 'lines'],
    ['commas', ',', 'width'],
    ['quotation marks', '"', 'broken'],
    ['letters', 'x', 'broken'],
  ])('is refused for a megabyte of %s', (_what, filling, what) => {
    const text = `${heading}\n${filling.repeat((megabyte - 100) / filling.length)}`;
    expect(read(text)).toEqual({ rows: [], faults: [expect.objectContaining({ what })] });
  });

  it('may have empty lines, and is refused for more than a list has', () => {
    const line = '1,2,ZMW,x\n';
    expect(read(`${heading}\n${line.repeat(1_000)}${'\n'.repeat(1_900)}`).rows).toHaveLength(1_000);
    for (const end of ['\n', '\r', '\r\n', ',,,\n'])
      expect(told(`${heading}\n${line}${end.repeat(3_000)}`)).toEqual([['lines', 0, '']]);
  });

  it('lets others have their turn while it is read', async () => {
    const file = Buffer.from(`${heading}\n${'260763000789,40.00,ZMW,JAN-1\n'.repeat(1_000)}`);
    const reading = finish(readPayoutFile('momo', file));
    expect(await turnsUntil(reading)).toBeGreaterThan(10);
    expect((await reading).rows).toHaveLength(1_000);
  });

  it('takes a thousand', () => {
    expect(read(`${heading}\n${'1,2,ZMW,x\n'.repeat(1_000)}`).rows).toHaveLength(1_000);
  });

  it('of the online wallet has addresses', () => {
    const [one] = read(
      'recipient_email,amount,currency,order_id,note\na@b.example,2.00,USD,7,',
      'walletpay',
    ).rows;
    expect(one?.fields).toEqual({
      ...{ recipient_email: 'a@b.example', amount: '2.00', currency: 'USD', order_id: '7' },
    });
  });
});
