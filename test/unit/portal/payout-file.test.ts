/** Reading payout files: the accepted values, and the faults with their lines. */
import { finish } from '../../../src/domain/in-slices';
import { readPayoutFile } from '../../../src/portal/payouts/read-file';
import { atOnce, turnsUntil } from '../../support/at-once';

const heading = 'phone_number,amount,currency,account_reference';
const read = (text: string, rail = 'momo') => atOnce(readPayoutFile(rail, Buffer.from(text)));
const reported = (text: string, rail?: string) =>
  read(text, rail).faults.map(({ what, line, column }) => [what, line, column]);
const row = { phone_number: '+260763000789', country: 'ZMB', amount: '40.00', currency: 'ZMW' };

describe('a payout file', () => {
  it.each([
    ['commas', `${heading}\n+260763000789,40.00,ZMW,JAN-1\n`],
    ['a byte order mark and CR LF', `\ufeff${heading}\r\n+260763000789,40.00,ZMW,JAN-1\r\n\r\n`],
    ['semicolons', `${heading.replaceAll(',', ';')}\n+260763000789;40.00;ZMW;JAN-1`],
    ['tabs', `${heading.replaceAll(',', '\t')}\n+260763000789\t40.00\tZMW\tJAN-1`],
    [
      'quotes and another column order',
      `Amount,"Currency",account_reference,Phone_Number\n40.00,zmw,"JAN-1",'+260763000789`,
    ],
    ['numbers as a spreadsheet writes them', `${heading}\n260763000789,40.00,ZMW,JAN-1\n,,,\n`],
    ['numbers as users write them', `${heading}\n00260 763-000 789,40.00,ZMW,JAN-1`],
  ])('is read with %s', (_what, text) => {
    expect(read(text)).toEqual({
      rows: [{ line: 2, fields: { ...row, account_reference: 'JAN-1' } }],
      faults: [],
    });
  });

  it("keeps all other text unchanged, with each line's number", () => {
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
    ['no lines', heading, [['empty', 0, '']]],
    ['an empty file', '', [['empty', 0, '']]],
    [
      'a column that is missing',
      'phone_number,amount,currency\n1,2,3',
      [['missing', 1, 'account_reference']],
    ],
    ['an unknown column', `${heading},ammount\n1,2,3,4,5`, [['unknown', 1, 'ammount']]],
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
      'a formula after the separator of another locale',
      `${heading}\n1,2,ZMW,T;=1+cmd\n1,2,ZMW,a|@SUM(A1)\n1,2,ZMW,"a\t-2+3"\n1,2,ZMW,"a,＝1"`,
      [2, 3, 4, 5].map((line) => ['formula', line, 'account_reference']),
    ],
    ['a number with lost digits', `${heading}\n2.60763E+11,2,ZMW,x`, [['shortened', 2, 'phone_number']]],
    ['a cell of a narrow column', `${heading}\n########,2,ZMW,x`, [['shortened', 2, 'phone_number']]],
    ['an unclosed quote', `${heading}\n1,"2,ZMW,x`, [['broken', expect.any(Number), '']]],
    ['a thousand and one payouts', `${heading}\n${'1,2,ZMW,x\n'.repeat(1_001)}`, [['many', 0, '']]],
  ])('reports %s', (_what, text, faults) => {
    expect(reported(text)).toEqual(faults);
    expect(read(text).rows.length === 0 || faults.length > 0).toBe(true);
  });

  it.each([
    ['workbook', Buffer.from('PK\u0003\u0004')],
    ['encoding', Buffer.from([0x61, 0xe9, 0x0a])],
    ['encoding', Buffer.from('a\0b\n')],
    ['encoding', Buffer.from(`\ufeff${heading}`, 'utf16le')],
  ])('is rejected as %s', (what, bytes) => {
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
  ])('with a megabyte of %s is rejected', (_what, filling, what) => {
    const text = `${heading}\n${filling.repeat((megabyte - 100) / filling.length)}`;
    expect(read(text)).toEqual({ rows: [], faults: [expect.objectContaining({ what })] });
  });

  it('can have empty lines, and is rejected with too many lines', () => {
    const line = '1,2,ZMW,x\n';
    expect(read(`${heading}\n${line.repeat(1_000)}${'\n'.repeat(1_900)}`).rows).toHaveLength(1_000);
    for (const end of ['\n', '\r', '\r\n', ',,,\n'])
      expect(reported(`${heading}\n${line}${end.repeat(3_000)}`)).toEqual([['lines', 0, '']]);
  });

  it('lets other work run while it is read', async () => {
    const file = Buffer.from(`${heading}\n${'260763000789,40.00,ZMW,JAN-1\n'.repeat(1_000)}`);
    const reading = finish(readPayoutFile('momo', file));
    expect(await turnsUntil(reading)).toBeGreaterThan(10);
    expect((await reading).rows).toHaveLength(1_000);
  });

  it('can have a thousand payouts', () => {
    expect(read(`${heading}\n${'1,2,ZMW,x\n'.repeat(1_000)}`).rows).toHaveLength(1_000);
  });

  it('of the online wallet has e-mail addresses', () => {
    const [one] = read(
      'recipient_email,amount,currency,order_id,note\na@b.example,2.00,USD,7,',
      'walletpay',
    ).rows;
    expect(one?.fields).toEqual({
      ...{ recipient_email: 'a@b.example', amount: '2.00', currency: 'USD', order_id: '7' },
    });
  });
});
