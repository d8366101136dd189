import { byHand } from '../../../tools/sandbox/transfer-by-hand';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createQuestionActivities } from '../../../activities/provider-questions';
import { questionContext, type AskWorker } from '../../../src/domain/provider-questions';
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
  it('rejects a file with a line of the day after tomorrow in live; the sandbox, whose clock may be ahead, accepts it', async () => {
    const session = cli.session;
    const at = new Date(Date.now() + 2 * 86_400_000).toISOString();
    const later = await fileOf('later.json', file([line('LATER', { at, state: 'failed' })]).content);
    cli.session = { ...session, config: { ...testConfig(cli.url), environment: 'live' } };
    const live = await reconcile('--statement', later);
    expect([live.code === 0, live.err]).toEqual([
      false,
      expect.stringContaining(`line 1: its time ${at} is in the future`),
    ]);
    cli.session = session;
    expect((await reconcile('--statement', later)).out).toContain('Stored 1 line of the statement.');
  });

  it('prints the outcome of each line, and exits with 1 while money is unexplained', async () => {
    const unknownLine = line('=HYPERLINK("x")', { phone: '+254712345678', amountMinor: '-700' });
    const name = await fileOf('a.json', file([line(`ref-${paid}`), unknownLine]).content);
    const { code, out } = await reconcile('--statement', name);
    expect(code).toBe(1);
    expect(out).toContain('Stored 2 lines of the statement.');
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

  it('verify counts the line per provider and day until an operator has explained it', async () => {
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
      await byHand(trx, async () => leaveSuspense(trx, await trx('unmatched_receipts'), 'returned'));
      await trx('unmatched_receipts').update({ state: 'returned', closed_at: new Date() });
    });
    expect((await cli.json('verify'))['unexplained']).toEqual([]);
  });

  it('exits with 0 when everything is explained, and reports a file that was stored before', async () => {
    const name = await fileOf('b.json', file([line('declined', { state: 'failed' })]).content);
    expect(await reconcile('--statement', name)).toMatchObject({ code: 0 });
    const again = await reconcile('--statement', name);
    expect(again.out).toContain('This file was stored before, with 1 line');
    expect(again.out).toContain('Everything is explained.');
    expect((await cli.run('reconcile', 'loud', '--from', '2020-01-01', '--to', '2020-01-01')).out).toContain(
      'There is no line and no payment in that period.',
    );
  });

  it('fetches the statement when the provider has an API, and stores only a complete one', async () => {
    const answers: FetchedStatement[] = [
      { kind: 'unavailable', text: 'HTTP 503' },
      { kind: 'refused', text: 'no permission' },
      { kind: 'fetched', ...file([line('cut', { amountMinor: '1,' })]), covers: wholeDays },
      { kind: 'fetched', ...file([line('fetched', { state: 'failed' })]), covers: wholeDays },
    ];
    withSource({ fetch: () => Promise.resolve(answers.shift() as FetchedStatement) });
    const before = await cli.db('provider_statements').pluck('statement_id');
    const nothing = 'was not fetched, and nothing was stored';
    for (const why of ['HTTP 503. Try again later', 'no permission. Upload a file']) {
      const { code, err } = await reconcile();
      expect([code, err]).toEqual([1, expect.stringContaining(nothing)]);
      expect(err).toContain(why);
    }
    expect((await reconcile()).err).toContain('the answer cannot be read');
    expect(await cli.db('provider_statements').pluck('statement_id')).toEqual(before);
    expect((await reconcile()).out).toContain('Stored 1 line of the statement.');
    // Nothing is fetched for this one.
    expect((await reconcile('--kept')).out).toContain('not moved');
  });

  it('reports that the statement of the provider begins later than requested', async () => {
    const begins = new Date(`${day(0)}T00:00:00Z`);
    const covers = { ...wholeDays, from: begins };
    withSource({
      fetch: () => Promise.resolve({ kind: 'fetched', ...file([], 'late.json'), covers } as const),
    });
    expect((await reconcile()).out).toMatch(
      /The statement begins at .*\. For the time before, upload a file/,
    );
    expect((await reconcile('--json')).json).toMatchObject({ fetched_from: begins.toISOString() });
    expect((await reconcile('--kept')).out).not.toContain('The statement begins at');
  });

  it('lets a worker fetch it, where this process has no key of the provider', async () => {
    const statement = file([line('of a worker', { state: 'failed' })], 'worker.json');
    const fetch = jest.fn(() =>
      Promise.resolve({ kind: 'fetched', ...statement, covers: wholeDays } as const),
    );
    withSource({ fetch });
    const worker = createQuestionActivities({
      ...{ context: cli.opened().context, box, stopping: new AbortController().signal },
    });
    const without = (ask: AskWorker) => {
      cli.session = { ...cli.session, ask };
      return reconcile();
    };
    const asked = await without(async (question) => {
      const encrypted = box.encrypt(JSON.stringify(question), questionContext);
      const answered = await worker.answerQuestion({ rail: 'loud', encrypted, timeoutMs: 1_000 });
      return (JSON.parse(box.open(answered.encrypted, questionContext)) as { answer: unknown }).answer;
    });
    expect(asked.out).toContain('Stored 1 line of the statement.');
    expect(fetch).toHaveBeenCalledTimes(1);
    const silent = await without(() => Promise.resolve(undefined));
    expect(silent.err).toMatch(/nothing was stored: no worker has answered in time\. Try again later/);
    expect(fetch).toHaveBeenCalledTimes(1);
  });

  it('reports that nothing can be fetched, and compares what is stored', async () => {
    withSource({ missing: 'LoudPay has no API for it' });
    const { out } = await reconcile();
    expect(out).toMatch(/^Nothing was fetched: LoudPay has no API for it\./);
    expect(out).toContain('agreed');
    expect((await reconcile('--json')).json).toMatchObject({ not_fetched: 'LoudPay has no API for it' });
  });

  it('rejects a file that cannot be read, with the line number, and stores nothing', async () => {
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
      'There are no statements for "quiet"',
    ],
    [
      ['reconcile', 'loud', '--from', '2026-11-01', '--to', '2026-11-01', '--kept', '--statement', 'a.csv'],
      '--kept and --statement do not go together',
    ],
    [
      ['reconcile', 'loud', '--from', '2026-11-30', '--to', '2026-11-01'],
      'The last day must not be before the first',
    ],
    [['reconcile', 'loud', '--from', 'yesterday', '--to', '2026-11-01'], '"yesterday" is not a day'],
    [['reconcile', 'loud', '--from', '2026-02-30', '--to', '2026-03-01'], '"2026-02-30" is not a day'],
    [
      ['reconcile', 'loud', '--from', '2026-11-01', '--to', '2026-11-01', '--date-order', 'ymd'],
      'must be one of dmy, mdy',
    ],
  ])('rejects %j', async (args, sentence) => {
    const { code, err } = await cli.run(...args);
    expect([code, err]).toEqual([2, expect.stringContaining(sentence)]);
  });
});
