import { byHand } from '../../../tools/sandbox/transfer-by-hand';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMerchant } from '../../../src/merchants/merchants';
import { railsOf } from '../../../src/rail-kit/context';
import type { Rail } from '../../../src/rail-kit/rail';
import type { FetchedStatement } from '../../../src/reconciliation/statement-source';
import { leaveSuspense } from '../../../src/reconciliation/suspense';
import { file, format, line } from '../../support/reconciliation/statement-support';
import { box, deposit } from '../../support/verify/books-support';
import { createTestCli, testConfig, type TestCli } from '../../support/cli/cli-support';

let cli: TestCli;
let folder: string;
let paid: string;
beforeAll(async () => {
  cli = await createTestCli();
  folder = await mkdtemp(join(tmpdir(), 'malipo-statements-'));
  const { merchant_id: merchantId } = await createMerchant(cli.db, box, {
    name: 'Duka',
    environment: 'sandbox',
  });
  paid = await deposit(cli.context, { merchantId }, 'initiating', 'pending', 'succeeded');
  withSource(undefined);
});

function withSource(statementSource: Rail['statementSource']): void {
  const own = { statement: format, ...(statementSource && { statementSource }) };
  const rails = cli.context.rails.all.map((rail) => (rail.name === 'loud' ? { ...rail, ...own } : rail));
  cli.session = { context: { ...cli.context, rails: railsOf(rails) } };
}
afterAll(async () => {
  await rm(folder, { recursive: true });
  await cli.drop();
});

async function fileOf(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}
const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
const wholeDays = { from: new Date(`${day(-1)}T00:00:00Z`), to: new Date(`${day(1)}T00:00:00Z`) };
const reconcile = (...more: string[]) =>
  cli.run('reconcile', 'loud', '--from', day(-1), '--to', day(1), ...more);

describe('malipo reconcile', () => {
  it('refuses a file with a line of the day after tomorrow in live, and takes it in the sandbox, whose clock may be ahead', async () => {
    const session = cli.session;
    const at = new Date(Date.now() + 2 * 86_400_000).toISOString();
    const later = await fileOf('later.json', file([line('LATER', { at, state: 'failed' })]).content);
    cli.session = { ...session, config: { ...testConfig(cli.url), environment: 'live' } };
    const live = await reconcile('--statement', later);
    expect([live.code === 0, live.err]).toEqual([
      false,
      expect.stringContaining(`line 1: it is of ${at}, which is to come`),
    ]);
    cli.session = session;
    expect((await reconcile('--statement', later)).out).toContain('Kept 1 line of the statement.');
  });

  it('tells what became of the lines, and ends with 1 while money is unexplained', async () => {
    const stranger = line('=HYPERLINK("x")', { phone: '+254712345678', amountMinor: '-700' });
    const name = await fileOf('a.json', file([line(`ref-${paid}`), stranger]).content);
    const { code, out } = await reconcile('--statement', name);
    expect(code).toBe(1);
    expect(out).toContain('Kept 2 lines of the statement.');
    expect(out).toMatch(/agreed +1 +100\.00 KES/);
    expect(out).toMatch(/theirs only +1 +-7\.00 KES/);
    expect(out).toContain('NOT everything is explained.');
    const csv = (await reconcile('--csv')).out.split('\r\n');
    expect(csv[0]).toMatch(/^occurred_at,outcome,kind,amount/);
    expect(csv[1]).toContain(`,theirs_only,collection,-7.00,KES,,"'=HYPERLINK(""x"")",,'+254712345678,`);
    const json = (await reconcile('--json')).json;
    expect(json).toMatchObject({
      provider: 'loudpay',
      explained: false,
      sums: [
        { outcome: 'agreed', lines: 1, amount: '100.00', currency: 'KES' },
        { outcome: 'theirs_only', lines: 1, amount: '-7.00', currency: 'KES' },
      ],
      items: [{ outcome: 'theirs_only', provider_reference: '=HYPERLINK("x")', likely_owners: [] }],
    });
  });

  it('is counted by verify, per provider and day, until a person has explained it', async () => {
    const counted = (await cli.json('verify'))['unexplained'];
    expect(counted).toEqual([
      {
        provider: 'loudpay',
        day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        count: 1,
        amount: '7.00',
        currency: 'KES',
      },
    ]);
    expect((await cli.run('verify')).out).toMatch(/Unexplained at loudpay on [\d-]+: 1 line, 7\.00 KES/);
    await cli.db.transaction(async (trx) => {
      await byHand(trx, async () => leaveSuspense(trx, await trx('orphans'), 'returned'));
      await trx('orphans').update({ state: 'returned', closed_at: new Date() });
    });
    expect((await cli.json('verify'))['unexplained']).toEqual([]);
  });

  it('ends with 0 where everything is explained, and says so of a file that it has', async () => {
    const name = await fileOf('b.json', file([line('declined', { state: 'failed' })]).content);
    expect(await reconcile('--statement', name)).toMatchObject({ code: 0 });
    const again = await reconcile('--statement', name);
    expect(again.out).toContain('This very file was kept before, with 1 line');
    expect(again.out).toContain('Everything is explained.');
    expect((await cli.run('reconcile', 'loud', '--from', '2020-01-01', '--to', '2020-01-01')).out).toContain(
      'There is nothing of that time.',
    );
  });

  it('fetches it where the provider has an API, and keeps what came whole', async () => {
    const answers: FetchedStatement[] = [
      { kind: 'unavailable', text: 'HTTP 503' },
      { kind: 'refused', text: 'no permission' },
      { kind: 'fetched', ...file([line('cut', { amountMinor: '1,' })]), covers: wholeDays },
      { kind: 'fetched', ...file([line('fetched', { state: 'failed' })]), covers: wholeDays },
    ];
    withSource({ fetch: () => Promise.resolve(answers.shift() as FetchedStatement) });
    const before = await cli.db('provider_statements').pluck('statement_id');
    const nothing = 'was not fetched, and nothing was kept';
    for (const why of ['HTTP 503. Try again later', 'no permission. Bring a file']) {
      const { code, err } = await reconcile();
      expect([code, err]).toEqual([1, expect.stringContaining(nothing)]);
      expect(err).toContain(why);
    }
    expect((await reconcile()).err).toContain('what came cannot be read');
    expect(await cli.db('provider_statements').pluck('statement_id')).toEqual(before);
    expect((await reconcile()).out).toContain('Kept 1 line of the statement.');
    // Nothing is fetched for this one.
    expect((await reconcile('--kept')).out).toContain('not moved');
  });

  it('says where a provider has less than was asked for', async () => {
    const begins = new Date(`${day(0)}T00:00:00Z`);
    const covers = { ...wholeDays, from: begins };
    withSource({
      fetch: () => Promise.resolve({ kind: 'fetched', ...file([], 'late.json'), covers } as const),
    });
    expect((await reconcile()).out).toMatch(/It begins at .*: of the time before, bring a file/);
    expect((await reconcile('--json')).json).toMatchObject({ fetched_from: begins.toISOString() });
    expect((await reconcile('--kept')).out).not.toContain('It begins at');
  });

  it('says where nothing can be fetched, and compares what was brought', async () => {
    withSource({ missing: 'LoudPay has no API for it' });
    const { out } = await reconcile();
    expect(out).toMatch(/^Nothing was fetched: LoudPay has no API for it\./);
    expect(out).toContain('agreed');
    expect((await reconcile('--json')).json).toMatchObject({ not_fetched: 'LoudPay has no API for it' });
  });

  it('refuses a file that cannot be read, with its line, and keeps nothing of it', async () => {
    const before = await cli.db('statement_lines').pluck('line_id');
    const name = await fileOf('c.json', file([line('x'), line('y', { amountMinor: '1,5' })]).content);
    const { code, err } = await reconcile('--statement', name);
    expect([code, err]).toEqual([1, expect.stringContaining('line 2: "1,5" is no amount')]);
    expect(await cli.db('statement_lines').pluck('line_id')).toEqual(before);
    const missing = await reconcile('--statement', join(folder, 'no such file'));
    expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('cannot be opened')]);
  });

  it.each([
    [
      ['reconcile', 'quiet', '--from', '2026-11-01', '--to', '2026-11-30'],
      'No statements are read for "quiet"',
    ],
    [
      ['reconcile', 'loud', '--from', '2026-11-01', '--to', '2026-11-01', '--kept', '--statement', 'a.csv'],
      '--kept and --statement do not go together',
    ],
    [
      ['reconcile', 'loud', '--from', '2026-11-30', '--to', '2026-11-01'],
      'The last day must not be before the first',
    ],
    [['reconcile', 'loud', '--from', 'yesterday', '--to', '2026-11-01'], '"yesterday" is no day'],
    [['reconcile', 'loud', '--from', '2026-02-30', '--to', '2026-03-01'], '"2026-02-30" is no day'],
    [
      ['reconcile', 'loud', '--from', '2026-11-01', '--to', '2026-11-01', '--date-order', 'ymd'],
      'must be one of dmy, mdy',
    ],
  ])('refuses %j', async (args, sentence) => {
    const { code, err } = await cli.run(...args);
    expect([code, err]).toEqual([2, expect.stringContaining(sentence)]);
  });
});
