/** Stored texts of others cannot move the cursor in an operator's terminal, nor fake a row of a table. */
import { inOneLine, showControls } from '../../../src/domain/controls';
import { facts, table } from '../../../src/cli/table';
import { openCase } from '../../../src/controls/cases';
import { writeBooks, type Books } from '../../support/verify/books';
import { insertPayment } from '../../support/verify/books-support';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';

const forged = '2026-11-28 09:00:00  stk  deposit  succeeded  999.00 KES';
const controls =
  '\u001b[1A\u001b[2K\u001b]0;gone\u0007\r\u007f\u009b2J\u0085\u2028\u202e\u2066\u200e\u200f\u061c\u200b\u2060\ufeff\u00ad';
const hostile = `INV-1${controls}\n${forged}\r\n${forged}`;

let cli: TestCli;
let books: Books;
let paymentId: string;
beforeAll(async () => {
  cli = await createTestCli();
  books = await writeBooks(cli.db);
  // Texts as a provider may send them, and as merchants could send them in earlier versions.
  const named = { order_id: hostile, account_reference: hostile, result_text: hostile };
  ({ payment_id: paymentId } = await insertPayment(cli.db, {
    merchantId: books.merchantId,
    with: { ...named, provider_receipt: hostile.slice(0, 60) },
  }));
  await openCase(cli.db, paymentId, { reason: 'amount_differs', detail: hostile });
  await cli.db('payment_log').insert({
    ...{ payment_id: paymentId, from_state: 'received', to_state: 'pending', cause: 'callback' },
    ...{ evidence: hostile, at: new Date() },
  });
});
afterAll(() => cli.drop());

/** @returns the lines; none of them is the forged row. */
function linesOf(text: string): string[] {
  expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  const lines = text.split('\n');
  for (const line of lines) expect(line.trimStart().startsWith('2026-11-28 09:00:00  stk')).toBe(false);
  return lines;
}

it.each([
  ['payment', 'list'],
  ['payment', 'show'],
  ['case', 'list'],
  ['logs'],
  ['verify'],
  ['no-such-command', `\u001b[2J${'x'.repeat(3)}`],
])('malipo %s %s prints each control character as its number', async (...words) => {
  const { out, err } = await cli.run(...words, ...(words[1] === 'show' ? [paymentId] : []));
  const lines = [...linesOf(out), ...linesOf(err)];
  if (words[1] === 'list' || words[1] === 'show')
    expect(lines.some((line) => line.includes('\\u001b[1A\\u001b[2K') && line.includes('999.00 KES'))).toBe(
      true,
    );
});

it('with --json the text is complete, and control characters are escaped', async () => {
  const { out, json } = await cli.run('payment', 'show', paymentId, '--json');
  expect(out).not.toMatch(/(?!\n)\p{Cc}/u);
  expect(json).toMatchObject({ payment: { order_id: hostile, result_text: hostile } });
});

it('a cell and a fact stay on one line', () => {
  const cells = table(['name', 'state'], [[`A\nB  done`, 'open']]);
  expect(cells.split('\n')).toEqual(['name            state', 'A\\u000aB  done  open']);
  expect(facts([['name', 'A\r\nstate  done']])).toBe('name  A\\u000d\\u000astate  done');
});

it('emoji, joiners and right-to-left text are unchanged', () => {
  const text = '👩‍👩‍👧 می\u200cخواهم שלום\tINV 1';
  expect(showControls(text)).toBe(text);
  expect(inOneLine(text.replace('\t', ' '))).toBe(text.replace('\t', ' '));
  // A character of two UTF-16 units, as in JSON.
  expect(inOneLine('A\u{e0041}')).toBe('A\\udb40\\udc41');
  // The line ends of a CSV file.
  expect(showControls('a,b\r\nc,d\r\n')).toBe('a,b\r\nc,d\r\n');
});
