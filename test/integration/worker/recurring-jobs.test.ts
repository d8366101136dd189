/** The recurring jobs without Temporal; the provider answers as the test sets it. */
import { ApplicationFailure } from '@temporalio/common';
import { createJobActivities, type Jobs } from '../../../activities/recurring-jobs';
import type { Period } from '../../../src/reconciliation/reconcile';
import type { FetchedStatement } from '../../../src/reconciliation/statement-source';
import { createMerchant } from '../../../src/merchants/merchants';
import { railsOf } from '../../../src/rail-kit/context';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';
import { box, deposit } from '../../support/verify/books-support';
import { file, forgetStatements, format, line } from '../../support/reconciliation/statement-support';

let cli: TestCli;
let answers: FetchedStatement[];
let asked: Period[];
beforeAll(async () => {
  cli = await createTestCli();
});
beforeEach(async () => {
  [answers, asked] = [[], []];
  await cli.db('statement_fetches').delete();
  await forgetStatements(cli.db);
});
afterAll(() => cli.drop());

const night = { rail: 'loud', at: '2026-11-20T00:45:00Z' };
const fetchOf = () => cli.db('statement_fetches').where({ rail: 'loud' }).first();
const doctor = async () => (await cli.run('doctor')).out;

const idle: Jobs = {
  prune: () => Promise.resolve({ events: 3 }),
  verify: () => Promise.resolve({ broken: [], tookMs: 1 }),
  checkFloats: () => Promise.resolve(undefined),
  refreshRates: undefined,
};

function activities(jobs: Partial<Jobs> = {}, stopping = new AbortController().signal, heartbeat = () => {}) {
  const source = {
    fetch(period: Period) {
      asked.push(period);
      return Promise.resolve(answers.shift() ?? ({ kind: 'unavailable', text: 'nothing to say' } as const));
    },
  };
  const [loud] = cli.context.rails.all.filter(({ name }) => name === 'loud');
  if (!loud) throw new Error('there is no such rail');
  const silent = { ...loud, name: 'silent', statementSource: { missing: 'SilentPay has no API' } };
  const rails = railsOf([{ ...loud, statement: format, statementSource: source }, silent]);
  return createJobActivities({
    context: { ...cli.context, rails },
    timezone: 'Africa/Nairobi',
    jobs: { ...idle, ...jobs },
    stopping,
    heartbeat,
    cancelled: () => new AbortController().signal,
    attempt: () => 1,
  });
}

const failureOf = (work: Promise<unknown>): Promise<ApplicationFailure> =>
  work.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: unknown) => {
      if (error instanceof ApplicationFailure) return error;
      throw error;
    },
  );

describe('a night', () => {
  it('stores the provider’s statement of the three days before, and counts unmatched lines', async () => {
    const content = file([line('stranger', { at: '2026-11-18T10:00:00Z' })]).content;
    const covers = {
      from: new Date('2026-11-16T21:00:00Z'),
      to: new Date('2026-11-19T18:00:00Z'),
    };
    answers.push({ kind: 'fetched', name: 'night.json', content, covers });
    const { fetchStatement, compareStatement } = activities();
    const kept = await fetchStatement(night);
    expect(kept).toMatchObject({
      from: '2026-11-16T21:00:00.000Z',
      to: '2026-11-19T21:00:00.000Z',
      lines: 1,
    });
    expect(asked).toEqual([{ from: new Date(kept.from), to: new Date(kept.to) }]);
    expect(await compareStatement({ rail: 'loud', ...kept })).toEqual({ unexplained: 1 });
    expect(await compareStatement({ rail: 'loud', ...kept })).toEqual({ unexplained: 1 });
    expect(await fetchOf()).toMatchObject({ failures: 0, failure: null, covers_to: covers.to });
    const reported = await doctor();
    expect(reported).toContain('The statements of loud were fetched in the last two days.');
    expect(reported).toContain('Unexplained lines and payments: loudpay 1');
  });

  it('goes back to the day on which a since settled payment began, until its line is there', async () => {
    const dayMs = 86_400_000;
    const { merchant_id: merchantId } = await createMerchant(cli.db, box, {
      name: 'Duka',
      environment: 'sandbox',
    });
    const begunAgo = async (days: number) => {
      const begun = new Date(Date.now() - days * dayMs);
      const states = ['initiating', 'pending', 'succeeded'] as const;
      return deposit(cli.context, { merchantId, with: { created_at: begun } }, ...states);
    };
    const tomorrow = { rail: 'loud', at: new Date(Date.now() + dayMs).toISOString() };
    const daysAsked = async () => {
      const covers = { from: new Date(Date.now() - 30 * dayMs), to: new Date() };
      answers.push({ kind: 'fetched', ...file(lines), covers });
      const { fetchStatement, compareStatement } = activities();
      const kept = await fetchStatement(tomorrow);
      await compareStatement({ rail: 'loud', ...kept });
      return (Date.parse(kept.to) - Date.parse(kept.from)) / dayMs;
    };
    const lines = [line('another')];
    await begunAgo(40);
    expect(await daysAsked()).toBe(3);
    const claimed = await begunAgo(10);
    expect(await daysAsked()).toBe(11);
    lines.push(line(`ref-${claimed}`, { at: new Date(Date.now() - 10 * dayMs).toISOString() }));
    expect(await daysAsked()).toBe(11);
    expect(await daysAsked()).toBe(3);
  });

  it('tries again later if the provider has nothing now, and says so', async () => {
    answers.push({ kind: 'unavailable', text: 'HTTP 503' }, { kind: 'unavailable', text: 'HTTP 429' });
    const { fetchStatement } = activities();
    expect(await doctor()).toContain('No worker has fetched a statement yet.');
    expect(await failureOf(fetchStatement(night))).toMatchObject({
      nonRetryable: false,
      message: 'HTTP 503',
    });
    await failureOf(fetchStatement(night));
    expect(await fetchOf()).toMatchObject({ failures: 2, failure: 'HTTP 429', succeeded_at: null });
    expect(await doctor()).toContain('loud (never fetched; 2 failures, HTTP 429)');
  });

  it('fails for good if an operator must change something', async () => {
    answers.push({ kind: 'refused', text: 'the account may not ask for it' });
    const { fetchStatement } = activities();
    expect(await failureOf(fetchStatement(night))).toMatchObject({ nonRetryable: true });
    expect(await failureOf(fetchStatement({ ...night, rail: 'silent' }))).toMatchObject({
      nonRetryable: true,
      message: 'SilentPay has no API',
    });
    expect(await failureOf(fetchStatement({ ...night, rail: 'gone' }))).toMatchObject({
      nonRetryable: true,
      message: expect.stringContaining('does not serve the rail'),
    });
    expect(await cli.db('statement_fetches').pluck('rail')).toEqual(['loud']);
  });
});

describe('a job', () => {
  const endless = () => new Promise<never>(() => undefined);

  it('returns its result', async () => {
    const { pruneOldRows, verifyBooks, checkFloats, refreshExchangeRates } = activities({
      refreshRates: () => Promise.resolve(2),
    });
    expect(await pruneOldRows()).toEqual({ events: 3 });
    expect(await verifyBooks()).toEqual({ broken: [], tookMs: 1 });
    expect(await refreshExchangeRates()).toEqual({ stored: 2 });
    // An operator is checking them at the moment.
    expect(await failureOf(checkFloats())).toMatchObject({ type: 'BUSY', nonRetryable: false });
  });

  it.each(['prune', 'verify', 'checkFloats', 'refreshRates'] as const)(
    '%s ends at once when the worker stops, and another worker repeats it',
    async (name) => {
      const stopping = new AbortController();
      const seen: AbortSignal[] = [];
      const job = (signal: AbortSignal) => {
        seen.push(signal);
        return endless();
      };
      const all = activities({ [name]: job }, stopping.signal);
      const [begin] = {
        prune: [all.pruneOldRows],
        verify: [all.verifyBooks],
        checkFloats: [all.checkFloats],
        refreshRates: [all.refreshExchangeRates],
      }[name];
      const ended = failureOf(Promise.resolve(begin?.()));
      stopping.abort();
      expect(await ended).toMatchObject({ type: 'STOPPED', nonRetryable: false });
      expect(seen.map(({ aborted }) => aborted)).toEqual([true]);
      // One that starts after that does nothing.
      expect(await failureOf(Promise.resolve(begin?.()))).toMatchObject({ type: 'STOPPED' });
      expect(seen).toHaveLength(1);
    },
  );

  it('fails as its work fails, and is retried', async () => {
    const gone = new Error('the database has gone away');
    await expect(activities({ verify: () => Promise.reject(gone) }).verifyBooks()).rejects.toBe(gone);
  });

  it('fails for good without a source of exchange rates', async () => {
    expect(await failureOf(activities().refreshExchangeRates())).toMatchObject({
      type: 'NO_SOURCE',
      nonRetryable: true,
    });
  });
});
