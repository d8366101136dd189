/** Large statements: the process answers other requests while it reads one, and rejects a wrong file early. */
import { finish } from '../../../src/domain/in-slices';
import { pawapayStatement } from '../../../src/rails/momo/providers/pawapay/statement';
import { pesapalStatement } from '../../../src/rails/cardproc/providers/pesapal/statement';
import { darajaStatement } from '../../../src/rails/stk/providers/daraja/statement';
import { paypalStatement } from '../../../src/rails/walletpay/providers/paypal/statement';
import { intasendStatement } from '../../../src/rails/xb/providers/intasend/statement';
import { turnsUntil } from '../../support/at-once';

const day = '2026-11-03 08:15:30';
/** A heading and one line that is repeated. */
const exports = {
  daraja: {
    format: darajaStatement,
    heading: 'Receipt No.,Completion Time,Transaction Status,Paid In,Withdrawn',
    line: `UKM1AAAAA1,${day},Completed,100.00,`,
  },
  pesapal: {
    format: pesapalStatement,
    heading: 'Date,Confirmation Code,Currency,Amount,Reference',
    line: `${day},MADEUP0001,KES,100.00,A-1`,
  },
  pawapay: {
    format: pawapayStatement,
    heading: 'Creation Date,Transaction ID,Amount,Currency,Type',
    line: `${day},0a000000-0000-4000-8000-000000000001,1,ZMW,DEPOSIT`,
  },
  intasend: {
    format: intasendStatement,
    heading: 'invoice_id,state,value,currency,updated_at',
    line: `A1,COMPLETE,100,KES,${day}`,
  },
};
const each = Object.entries(exports);
const read = (format: (typeof exports)[keyof typeof exports]['format'], text: string) =>
  finish(format.read(Buffer.from(text), {}));

describe('a statement of many lines', () => {
  it.each(each)('of %s does not block other work while it is read', async (_name, one) => {
    const reading = read(one.format, `${one.heading}\n${`${one.line}\n`.repeat(4_000)}`);
    // Slices: reading the bytes, splitting the lines, and reading each line.
    expect(await turnsUntil(reading)).toBeGreaterThan(60);
    expect(await reading).toHaveLength(4_000);
    expect((await reading).at(-1)?.n).toBe(4_001);
  });

  it('keeps characters of several bytes, wherever the text is split', async () => {
    const { heading, line, format } = exports.daraja;
    const details = 'Nyamw\u00e9r\u00fa \u20ac \ud83d\ude00';
    const lines = Array.from({ length: 600 }, (_, n) => `${line},"${'x'.repeat(n % 97)}${details}, ""y""\n"`);
    const found = await read(format, `${heading},Details\r\n${lines.join('\r\n')}\r\n`);
    expect(found).toHaveLength(600);
    for (const [n, { description }] of found.entries())
      expect(description).toBe(`${'x'.repeat(n % 97)}${details}, "y"\n`);
  });
});

describe('a file that is not a statement', () => {
  const megabyte = 1024 * 1024;
  const fillings: [string, string, RegExp][] = [
    ['line feeds', '\n', /^there are more than 500,000 lines, including empty ones/],
    ['carriage returns', '\r', /^there are more than 500,000 lines, including empty ones/],
    ['commas', ',', /^line 2: there are more than 200 columns$/],
    ['semicolons', ';', /^line 2: there are more than 200 columns$/],
    ['quotation marks', '"', /^this is not CSV/],
  ];
  it.each(each.flatMap(([name, one]) => fillings.map((filling) => [name, ...filling, one] as const)))(
    'of %s is rejected with a megabyte of %s',
    async (_name, _what, filling, sentence, { format, heading }) => {
      await expect(read(format, `${heading}\n${filling.repeat(megabyte)}`)).rejects.toThrow(sentence);
    },
  );

  it('is rejected for too many fields over many lines', async () => {
    const { format, heading } = exports.daraja;
    const text = `${heading}\n${`${','.repeat(190)}\n`.repeat(50_000)}`;
    await expect(read(format, text)).rejects.toThrow('there are more than 8,000,000 fields');
  });

  it('is rejected when it has more pages than a function can have arguments', async () => {
    const pages = paypalStatement.read(Buffer.from(`[${'0,'.repeat(500_000)}0]`), {});
    await expect(finish(pages)).rejects.toThrow('"transaction_details" is missing');
  });

  it.each([
    ['daraja', darajaStatement, '{"transactions":['],
    ['intasend', intasendStatement, '['],
    ['paypal', paypalStatement, '['],
  ] as const)('of %s is rejected for too many JSON values', async (_name, format, begin) => {
    const text = `${begin}${'0,'.repeat(3_000_001)}`;
    await expect(read(format, text)).rejects.toThrow('there are more than 3,000,000 fields');
  });

  it.each([
    ['daraja', darajaStatement],
    ['intasend', intasendStatement],
    ['paypal', paypalStatement],
  ] as const)(
    'of %s is rejected for ten megabytes of keys, and does not block the process',
    async (_name, format) => {
      const keys = Array.from({ length: 800_000 }, (_, n) => `"key${String(n)}":1`);
      const work = format.read(Buffer.from(`{${keys.join(',')}}`), {});
      let slices = 0;
      const inSlices = () => {
        while (work.next().done !== true) slices += 1;
      };
      expect(inSlices).toThrow('there are more than 20,000 keys in one object');
      expect(slices).toBeGreaterThan(30);
    },
  );
});
