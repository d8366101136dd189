/** The statements that the workers fetch each night, by Temporal's clock. */
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { scheduleIdOf } from '../../../src/ops/nightly-statements';
import { startStack, type OwnStack } from '../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../support/rails/simulator-control';
import { connectEngine, type TestEngine } from '../../support/workflows/temporal-client';

const timeoutMs = 240_000;
const dayMs = 86_400_000;

const timezone = 'Africa/Nairobi';
/** Half a day away, so that no night begins by itself while this runs. */
const hour =
  (Number(new Intl.DateTimeFormat('en', { hour: '2-digit', hourCycle: 'h23', timeZone: timezone }).format()) +
    12) %
  24;
const nightAt = `${String(hour).padStart(2, '0')}:30`;

let stack: OwnStack;
let engine: TestEngine;
let paypal: SimulatorControl;
beforeAll(async () => {
  stack = await startStack({ timeScale: 20, env: { MALIPO_STATEMENTS_AT: nightAt } });
  engine = await connectEngine(stack);
  paypal = simulatorControl(stack.simulatorUrl, 'walletpay');
});
afterAll(async () => {
  for (const rail of ['xb', 'walletpay', 'momo', 'stk'])
    await handleOf(rail)
      .delete()
      .catch(() => undefined);
  await engine.close();
  await stack.stop();
});

const taskQueue = () => stack.env['MALIPO_TASK_QUEUE'] ?? '';
const handleOf = (rail: string) => engine.client.schedule.getHandle(scheduleIdOf(rail, taskQueue()));
const described = (rail: string) =>
  waitFor(() => handleOf(rail).describe(), { what: `the schedule of ${rail}`, timeoutMs });
const fetchOf = (rail: string) => stack.db('statement_fetches').where({ rail }).first();
/** Days that are over when it is asked for: a test that runs over midnight asks for those of two nights. */
const covered = async () =>
  (await stack.db('provider_statements').where({ provider: 'paypal' })).map(({ covers_to: to }) =>
    to.getTime(),
  );

async function overOnce(rail: string, n: number): Promise<unknown> {
  const id = await waitFor(
    async () => (await handleOf(rail).describe()).info.recentActions[n - 1]?.action.workflow.workflowId,
    { what: `night ${n} of ${rail} to begin`, timeoutMs },
  );
  return engine.client.withDeadline(Date.now() + timeoutMs, () =>
    engine.client.workflow.getHandle(id).result(),
  );
}

describe('the statements of each night', () => {
  it('are scheduled for every provider with an API for them, and for nobody else', async () => {
    const { spec, policies, action } = await described('walletpay');
    expect(spec.calendars?.[0]).toMatchObject({ hour: [{ start: hour }], minute: [{ start: 30 }] });
    expect(spec.timezone).toBe(timezone);
    expect(policies).toMatchObject({ overlap: 'SKIP', catchupWindow: dayMs });
    expect(action).toMatchObject({ workflowType: 'reconciliation', args: [{ rail: 'walletpay' }] });
    await described('xb');
    await expect(handleOf('cardproc').describe()).rejects.toThrow(/not found/i);
  });

  it(
    'are fetched, kept and compared, though the worker is killed and the provider is down for a while',
    async () => {
      await paypal.next({ call: 'statement', behave: 'hang', times: 1 });
      await described('walletpay');
      await handleOf('walletpay').trigger();
      await waitFor(async () => (await paypal.exchanges('statement')).length > 0, {
        what: 'the statement to be asked for',
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
    'fail where a person has to change something, and say what',
    async () => {
      await paypal.tell('account', { withheld: ['reporting'] });
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

  it('are paused for as long as an operator says, and gone where they are switched off', async () => {
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
