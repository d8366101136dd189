/** The recurring jobs: Temporal Schedules that workers run, and operators see, pause and trigger in its UI. */
import { openAccount } from '../../../src/ledger/accounts';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { scheduleIdOf } from '../../../src/worker/schedules';
import { startStack, type OwnStack } from '../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../support/rails/simulator-control';
import { connectEngine, type TestEngine } from '../../support/workflows/temporal-client';

const timeoutMs = 240_000;
const dayMs = 86_400_000;

const timezone = 'Africa/Nairobi';
/** Half a day away, so that no night begins by itself during this test. */
const hour =
  (Number(new Intl.DateTimeFormat('en', { hour: '2-digit', hourCycle: 'h23', timeZone: timezone }).format()) +
    12) %
  24;
const nightAt = `${String(hour).padStart(2, '0')}:30`;

let stack: OwnStack;
let engine: TestEngine;
let paypal: SimulatorControl;
beforeAll(async () => {
  stack = await startStack({ timeScale: 20, env: { MALIPO_SCHEDULES: 'on', MALIPO_STATEMENTS_AT: nightAt } });
  engine = await connectEngine(stack);
  paypal = simulatorControl(stack.simulatorUrl, 'walletpay');
});
afterAll(async () => {
  await engine.close();
  await stack.stop();
});

const taskQueue = () => stack.env['MALIPO_TASK_QUEUE'] ?? '';
const job = (name: string, rail?: string) =>
  engine.client.schedule.getHandle(scheduleIdOf(name, taskQueue(), rail));
const handleOf = (rail: string) => job('nightly-statement', rail);
const describedJob = (name: string, rail?: string) =>
  waitFor(() => job(name, rail).describe(), { what: `the schedule ${name}`, timeoutMs });
const described = (rail: string) => describedJob('nightly-statement', rail);
const fetchOf = (rail: string) => stack.db('statement_fetches').where({ rail }).first();
/** Days that are over at the query: a test that runs over midnight covers those of two nights. */
const covered = async () =>
  (await stack.db('provider_statements').where({ provider: 'paypal' })).map(({ covers_to: to }) =>
    to.getTime(),
  );

const overOnce = (rail: string, n: number) => resultOf(handleOf(rail), n);

/** @returns the result of the nth run. */
async function resultOf(schedule: ReturnType<typeof job>, n: number): Promise<unknown> {
  const id = await waitFor(
    async () => (await schedule.describe()).info.recentActions[n - 1]?.action.workflow.workflowId,
    { what: `run ${String(n)} to begin`, timeoutMs },
  );
  return engine.client.withDeadline(Date.now() + timeoutMs, () =>
    engine.client.workflow.getHandle(id).result(),
  );
}

describe('the statements of each night', () => {
  it('are scheduled for every provider with a statement API, and for no other', async () => {
    const { spec, policies, action } = await described('walletpay');
    expect(spec.calendars?.[0]).toMatchObject({ hour: [{ start: hour }], minute: [{ start: 30 }] });
    expect(spec.timezone).toBe(timezone);
    expect(policies).toMatchObject({ overlap: 'SKIP', catchupWindow: dayMs });
    expect(action).toMatchObject({ workflowType: 'reconciliation', args: [{ rail: 'walletpay' }] });
    await described('xb');
    await expect(handleOf('cardproc').describe()).rejects.toThrow(/not found/i);
  });

  it(
    'are fetched, stored and compared, though the worker is killed and the provider is down for a while',
    async () => {
      await paypal.next({ call: 'statement', behave: 'hang', times: 1 });
      await described('walletpay');
      await handleOf('walletpay').trigger();
      await waitFor(async () => (await paypal.exchanges('statement')).length > 0, {
        what: 'the statement to be requested',
        timeoutMs,
      });
      await stack.kill('worker');
      await paypal.next({ call: 'statement', behave: '503', times: 5 });
      await stack.start('worker');
      expect(await overOnce('walletpay', 1)).toMatchObject({ lines: 0, unexplained: 0 });
      expect(await fetchOf('walletpay')).toMatchObject({ failures: 0, failure: null });
      expect(await covered()).toHaveLength(1);
    },
    2 * timeoutMs,
  );

  it(
    'change nothing when the same night is run again',
    async () => {
      await handleOf('walletpay').trigger();
      await overOnce('walletpay', 2);
      const nights = await covered();
      expect(nights).toHaveLength(new Set(nights).size);
    },
    timeoutMs,
  );

  it(
    'fail if an operator must change something, and say what',
    async () => {
      await paypal.notify('account', { withheld: ['reporting'] });
      await handleOf('walletpay').trigger();
      await expect(overOnce('walletpay', 3)).rejects.toThrow();
      expect(await fetchOf('walletpay')).toMatchObject({
        failures: 1,
        failure: expect.stringContaining('Transaction search'),
        succeeded_at: expect.any(Date),
      });
    },
    timeoutMs,
  );

  it('are paused as long as an operator wants, and deleted where they are disabled', async () => {
    await handleOf('xb').pause('while we look');
    const { child } = await stack.startAnother('worker', {});
    await waitFor(async () => (await stack.logs()).split('worker started').length > 3, {
      what: 'the other worker to start',
      timeoutMs,
    });
    expect((await described('xb')).state.paused).toBe(true);
    await child.stop();
    await stack.startAnother('worker', { MALIPO_STATEMENTS_AT: 'off' });
    await waitFor(
      () =>
        handleOf('xb')
          .describe()
          .then(
            () => undefined,
            () => true,
          ),
      { what: 'the schedule to be gone', timeoutMs },
    );
  });
});

describe('every recurring job', () => {
  it.each([
    ['nightly-prune', 'prune', 'retention'],
    ['nightly-verify', 'verify', 'invariant'],
    ['float-check', 'floatCheck', 'balances'],
    ['exchange-rates', 'exchangeRates', 'MALIPO_FX_SOURCE'],
  ])('%s is a schedule with a note, that starts %s', async (name, workflowType, noted) => {
    const { state, action, policies } = await describedJob(name);
    expect(state.note).toContain(noted);
    expect(policies).toMatchObject({ overlap: 'SKIP' });
    expect(action).toMatchObject({ workflowType, workflowId: scheduleIdOf(name, taskQueue()) });
  });

  it('returns its result, and can run again', async () => {
    for (const n of [1, 2]) {
      await job('nightly-prune').trigger();
      expect(await resultOf(job('nightly-prune'), n)).toMatchObject({
        events: 0,
        'requests of merchants': 0,
      });
      await job('float-check').trigger();
      expect(await resultOf(job('float-check'), n)).toMatchObject({
        isDoubted: false,
        balances: expect.arrayContaining([
          expect.objectContaining({ provider: 'pawapay', verdict: 'agrees', differsByMinor: '0' }),
        ]) as unknown,
      });
      await job('exchange-rates').trigger();
      expect(await resultOf(job('exchange-rates'), n)).toMatchObject({ stored: expect.any(Number) });
    }
    expect(await stack.db('prunings').first()).toMatchObject({ finished_at: expect.any(Date) });
  });

  it('fails on a violated invariant, so that an operator sees it, and names it', async () => {
    await job('nightly-verify').trigger();
    expect(await resultOf(job('nightly-verify'), 1)).toMatchObject({ broken: [] });
    const { merchantId } = await stack.createMerchant();
    const { accountId } = await openAccount(stack.db, { class: 'wallet', merchantId, currency: 'KES' });
    await stack.db('ledger_accounts').where({ account_id: accountId }).update({ balance: '1' });
    await job('nightly-verify').trigger();
    await expect(resultOf(job('nightly-verify'), 2)).rejects.toMatchObject({
      cause: { type: 'INVARIANTS_BROKEN', message: expect.stringMatching(/ \(1\)/) as string },
    });
    expect(await stack.db('verify_results').first()).toMatchObject({ violations: 1 });
    await stack.db('ledger_accounts').where({ account_id: accountId }).update({ balance: '0' });
  });
});
