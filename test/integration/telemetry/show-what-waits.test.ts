/** The metrics of the database, and the time of their reading. */
import { createMetrics } from '../../../src/telemetry/metrics';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { showWhatWaits } from '../../../src/telemetry/show-backlog';
import { railsOf } from '../../../src/rail-kit/context';
import { noteFetched } from '../../../src/reconciliation/fetch-log';
import { openDatabase } from '../../../src/store/database';
import { silentLog } from '../../support/silent-log';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { fakeContext } from '../../support/payments/fakes';

const timeoutMs = 60_000;

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

async function figure(metrics: ReturnType<typeof createMetrics>, name: string): Promise<number> {
  const lines = (await metrics.expose()).split('\n');
  return Number(lines.find((line) => line.startsWith(`${name} `))?.split(' ')[1] ?? NaN);
}

it('have the time of their reading, so that a lost database is noticed', async () => {
  const db = openDatabase(test.url);
  const metrics = createMetrics();
  let isLost = false;
  const warn = () => (isLost = true);
  const context = { ...fakeContext(db), log: { ...silentLog, warn } };
  const readAt = () => figure(metrics, 'malipo_database_metrics_read_timestamp_seconds');
  const first = await readAt();
  const shown = showWhatWaits(context, metrics, { fetchesStatements: false, everyMs: 20 });
  try {
    await waitFor(async () => (await readAt()) > first, { what: 'the metrics to be read', timeoutMs });
    await db.destroy();
    await waitFor(() => Promise.resolve(isLost), { what: 'the database to be down', timeoutMs });
    const last = await readAt();
    isLost = false;
    await waitFor(() => Promise.resolve(isLost), { what: 'the database to be down again', timeoutMs });
    expect(await readAt()).toBe(last);
  } finally {
    await shown.stop();
  }
});

it.each([
  ['if fetching is on', true, /malipo_statement_fetched_timestamp_seconds\{rail="stk"\} 1/, /rail="gone"/],
  [
    'nowhere else',
    false,
    /malipo_database_metrics_read_timestamp_seconds/,
    /malipo_statement_fetched_timestamp_seconds\{/,
  ],
])(
  'have the last fetch of rails whose statements are fetched, %s',
  async (_what, fetchesStatements, has, lacks) => {
    const { db } = test;
    for (const rail of ['stk', 'gone']) await noteFetched(db, rail, new Date());
    const metrics = createMetrics();
    const fake = fakeContext(db);
    const [rail] = fake.rails.all;
    if (!rail) throw new Error('no rail');
    const rails = railsOf([{ ...rail, statementSource: { fetch: () => Promise.reject(new Error('no')) } }]);
    const read = jest.spyOn(metrics, 'read');
    const shown = showWhatWaits({ ...fake, rails }, metrics, { fetchesStatements, everyMs: 20 });
    try {
      await waitFor(() => Promise.resolve(read.mock.calls.length > 0), { what: 'the figures', timeoutMs });
      const text = await metrics.expose();
      expect(text).toMatch(has);
      expect(text).not.toMatch(lacks);
    } finally {
      await shown.stop();
    }
  },
  150_000,
);
