import { slotOf, storeDenials } from '../../../src/payments/resolve/notifications/counts';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';

let cli: TestCli;
beforeAll(async () => {
  cli = await createTestCli();
});
afterAll(() => cli.drop());

const source = { rail: 'momo', account: 'momo', kind: 'deposit' } as const;
const ago = (ms: number) => new Date(Date.now() - ms);
const minute = 60_000;

async function counted(at: Date, reported_first: number, lags: string) {
  const received = lags.split(',').reduce((sum, n) => sum + Number(n), 0);
  await cli
    .db('notification_counts')
    .insert({ slot_at: slotOf(at), ...source, expected: received + 2, received, reported_first, lags });
}

it('malipo notifications prints for each kind of payment: expected, received, delay, and the state with its start', async () => {
  expect((await cli.run('notifications')).out).toBe(
    'No payment with an expected notification ended more than two minutes ago.\n',
  );
  await cli.db('notification_health').insert({
    ...{ ...source, verdict: 'stopped', since: ago(12 * minute) },
    ...{ missed_in_a_row: 6, received_in_a_row: 0, expected: '300', received: '250' },
  });
  await counted(ago(20 * minute), 97, '97,0,0,0,0,0,0,0,0,0');
  await counted(ago(60 * minute), 0, '0,0,1,0,0,0,2,0,0,0');
  await counted(ago(26 * 60 * minute), 0, '0,0,0,0,0,0,0,0,50,0');
  await storeDenials(cli.db, new Map([['momo', 4]]));
  const reported = {
    ...source,
    ...{ state: 'stopped', since: expect.any(String) as unknown, reported_first: 97 },
    ...{ expected: 104, received: 100, lag_p50_seconds: 0, lag_p99_seconds: 30 },
  };
  expect(await cli.json('notifications')).toEqual({
    ...{ counted_since: expect.any(String) as unknown, callbacks: [reported] },
    refused: [{ rail: 'momo', refused: 4 }],
  });
  const { out } = await cli.run('notifications', '--since', '2d');
  expect(out).toMatch(/momo +momo +deposit +156 +150 +97 +at once +120 s +stopped/);
  expect(out).toContain('momo: 4 notifications were denied.');
});

it('malipo notifications --since rejects an invalid time', async () => {
  expect((await cli.run('notifications', '--since', 'yesterday')).code).toBe(2);
});
