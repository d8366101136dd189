import { slotOf, keepRefusals } from '../../../src/payments/resolve/callbacks/counts';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';

let cli: TestCli;
beforeAll(async () => {
  cli = await createTestCli();
});
afterAll(() => cli.drop());

const source = { rail: 'momo', account: 'momo', kind: 'deposit' } as const;
const ago = (ms: number) => new Date(Date.now() - ms);
const minute = 60_000;

async function counted(at: Date, told_first: number, lags: string) {
  const come = lags.split(',').reduce((sum, n) => sum + Number(n), 0);
  await cli
    .db('callback_counts')
    .insert({ slot_at: slotOf(at), ...source, expected: come + 2, come, told_first, lags });
}

it('malipo callbacks tells of each kind of payment how many were expected and came, how late, and since when', async () => {
  expect((await cli.run('callbacks')).out).toBe(
    'No payment that a callback was expected of ended longer than two minutes ago.\n',
  );
  await cli.db('callback_health').insert({
    ...{ ...source, verdict: 'stopped', since: ago(12 * minute) },
    ...{ missed_in_a_row: 6, come_in_a_row: 0, expected: '300', come: '250' },
  });
  await counted(ago(20 * minute), 97, '97,0,0,0,0,0,0,0,0,0');
  await counted(ago(60 * minute), 0, '0,0,1,0,0,0,2,0,0,0');
  await counted(ago(26 * 60 * minute), 0, '0,0,0,0,0,0,0,0,50,0');
  await keepRefusals(cli.db, new Map([['momo', 4]]));
  const told = {
    ...source,
    ...{ state: 'stopped', since: expect.any(String) as unknown, told_first: 97 },
    ...{ expected: 104, come: 100, lag_p50_seconds: 0, lag_p99_seconds: 30 },
  };
  expect(await cli.json('callbacks')).toEqual({
    ...{ counted_since: expect.any(String) as unknown, callbacks: [told] },
    refused: [{ rail: 'momo', refused: 4 }],
  });
  const { out } = await cli.run('callbacks', '--since', '2d');
  expect(out).toMatch(/momo +momo +deposit +156 +150 +97 +at once +120 s +stopped/);
  expect(out).toContain('momo: 4 notifications were refused.');
});

it('malipo callbacks --since refuses what is no time', async () => {
  expect((await cli.run('callbacks', '--since', 'yesterday')).code).toBe(2);
});
