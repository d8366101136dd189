/** Two builds of the workers in parallel, and a third that cannot continue the others' workflows. */
import { randomBytes } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { PaymentRow } from '../../../src/store/tables';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { historiesFolder } from '../../../src/worker/versions/build';
import { viewDeployment, type DeploymentView } from '../../../src/worker/versions/server-view';
import { everythingEndsWell } from '../../faults/support/ending-well';
import { simulatorControl, type SimulatorControl } from '../../support/rails/simulator-control';
import { accepted, ended } from '../../support/rails/stk/payments';
import { newestRelease } from '../../support/releases';
import { startStack, type FurtherProcess, type OwnStack, type TestMerchant } from '../../support/stack';
import { versions } from '../../../workflows/versions';
import { makeBuild, oneStepMore, ownBuild, type AnotherBuild } from './another-build';
import { connectEngine, type TestEngine } from '../../support/workflows/temporal-client';

const timeoutMs = 240_000;
const deployment = `malipo-${randomBytes(6).toString('hex')}`;
/** The number of VERSIONING_BEHAVIOR_PINNED. */
const pinned = 1;

describe('every type of workflow', () => {
  it('says whether it moves to a promoted version', () => {
    const folder = join(newestRelease, historiesFolder);
    const types = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.json'))
      .map((name) => {
        const { events } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as {
          events: { workflowExecutionStartedEventAttributes?: { workflowType: { name: string } } }[];
        };
        return events[0]?.workflowExecutionStartedEventAttributes?.workflowType.name;
      });
    expect([...new Set(types)].sort()).toEqual(Object.keys(versions).sort());
  });
});

describe('versions of the workers', () => {
  const one = ownBuild();
  const two = makeBuild('two');
  const three = makeBuild('three', oneStepMore);
  let stack: OwnStack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  let engine: TestEngine;
  let ofTwo: FurtherProcess;
  const payments: string[] = [];

  beforeAll(async () => {
    stack = await startStack({ timeScale: 1, env: { MALIPO_DEPLOYMENT: deployment } });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'stk');
    engine = await connectEngine(stack);
  });
  afterAll(async () => {
    await engine.close();
    await stack.stop();
    two.remove();
    three.remove();
  });

  /** A busy Temporal sometimes reports for a moment that it does not know a deployment. */
  const view = (): Promise<DeploymentView> =>
    waitFor(
      () =>
        viewDeployment({
          client: engine.client,
          namespace: 'default',
          taskQueue: stack.env['MALIPO_TASK_QUEUE'] ?? '',
          deployment: { name: deployment, buildId: undefined },
        }),
      { what: 'Temporal to know the deployment', timeoutMs },
    );

  const versionIn = async (build: string) => (await view()).versions.find(({ buildId }) => buildId === build);

  async function startWorkerOf({ id, worker }: AnotherBuild): Promise<FurtherProcess> {
    const started = await stack.startAnother('worker', {}, worker);
    await waitFor(
      async () => {
        const { workflows = 0, activities = 0 } = (await versionIn(id))?.pollers ?? {};
        return (workflows > 0 && activities > 0) || undefined;
      },
      { what: `version ${id} to ask for work`, timeoutMs },
    );
    return started;
  }

  /** Its customer waits until the test decides, or the prompt times out and the customer pays late. */
  async function begin(): Promise<PaymentRow> {
    const phone = `254719${String(100 + payments.length)}600`;
    const payment = await accepted(stack, merchant, { phone_number: phone });
    payments.push(payment.payment_id);
    return payment;
  }

  async function beginMany(count: number): Promise<PaymentRow[]> {
    const begun: PaymentRow[] = [];
    while (begun.length < count) begun.push(await begin());
    return begun;
  }

  /** The version of a workflow's last task. */
  async function doneBy(workflowId: string) {
    const { raw } = await engine.client.workflow.getHandle(workflowId).describe();
    const { versioningInfo } = raw.workflowExecutionInfo ?? {};
    return {
      build: versioningInfo?.deploymentVersion?.buildId,
      isPinned: Number(versioningInfo?.behavior) === pinned,
    };
  }

  const buildsOf = async (rows: PaymentRow[]) =>
    Promise.all(rows.map(async ({ workflow_id: id }) => (await doneBy(id)).build));

  async function pay({ provider_reference: prompt }: PaymentRow): Promise<void> {
    const id = prompt ?? '';
    await provider.decide(id, 'pay').catch(() => provider.decide(id, 'pay_late'));
  }

  async function paid(rows: PaymentRow[]): Promise<void> {
    for (const row of rows) await pay(row);
    await over(rows);
  }

  /** Paid, and its workflow has done its last task. */
  async function over(rows: PaymentRow[]): Promise<void> {
    for (const { payment_id: id, workflow_id: workflowId } of rows) {
      await ended(stack.db, id, ['succeeded']);
      await engine.client.withDeadline(Date.now() + timeoutMs, () =>
        engine.client.workflow.getHandle(workflowId).result(),
      );
    }
  }

  const complaintOf = ({ exitCode, reply }: Awaited<ReturnType<AnotherBuild['malipo']>>) =>
    `${String(exitCode)}: ${reply.error?.message ?? JSON.stringify(reply)}`;

  it('make the first one current, without one event more in a payment', async () => {
    const { currentBuildId, wasEverSet } = await view();
    expect({ currentBuildId, wasEverSet }).toEqual({ currentBuildId: one.id, wasEverSet: true });
    expect(await (await fetch(`${stack.opsUrl}/readyz`)).json()).toMatchObject({
      checks: { 'worker version': 'ok' },
    });
    const payment = await begin();
    await paid([payment]);
    const { events } = await engine.client.workflow.getHandle(payment.workflow_id).fetchHistory();
    // On a slow machine, a slow local activity becomes a separate activity, with six events of its own.
    const apart = (events ?? []).filter(
      ({ activityTaskScheduledEventAttributes: scheduled }) => scheduled !== null && scheduled !== undefined,
    );
    expect(events).toHaveLength(17 + 6 * apart.length);
    expect(await doneBy(payment.workflow_id)).toEqual({ build: one.id, isPinned: false });
  });

  it('give nothing to one that is not current, and promote none without a replay', async () => {
    ofTwo = await startWorkerOf(two);
    const begun = await beginMany(6);
    expect(await buildsOf(begun)).toEqual(begun.map(() => one.id));
    expect(await versionIn('two')).toMatchObject({ standing: 'inactive', percent: 0, open: 0 });
    // Only the first one's jobs: two versions would start them twice.
    const startedJobs = await waitFor(
      async () => (await stack.logs()).match(/receives tasks, and runs the recovery jobs/g) ?? undefined,
      { what: 'the chores', timeoutMs },
    );
    expect(startedJobs).toHaveLength(1);
    expect(complaintOf(await one.malipo(stack, 'deploy', 'promote', 'two'))).toMatch(
      /^1: This is build .* and two would get the open workflows/,
    );
    const named = { ...stack, env: { ...stack.env, MALIPO_BUILD_ID: 'two' } };
    expect(complaintOf(await one.malipo(named, 'deploy', 'promote', 'two'))).toMatch(
      /^1: MALIPO_BUILD_ID says two, and the code here is build/,
    );
    expect(complaintOf(await two.malipo(stack, 'deploy', 'promote', 'four'))).toMatch(
      /^1: There is no version four/,
    );
    expect((await view()).currentBuildId).toBe(one.id);
    await paid(begun);
  });

  it('give one its share, and take it back though its worker is killed meanwhile', async () => {
    const before = await begin();
    const ramped = await two.malipo(stack, 'deploy', 'ramp', 'two', '50');
    expect(ramped).toMatchObject({
      exitCode: 0,
      reply: { ramping: 'two', percent: 50, current: one.id },
    });
    expect(ramped.reply['replayed']).toMatchObject({ failures: [], open: { stkPush: 1 } });
    const begun = await beginMany(16);
    expect(new Set(await buildsOf(begun))).toEqual(new Set([one.id, 'two']));

    process.kill(-ofTwo.child.pid, 'SIGKILL');
    await ofTwo.child.exited;
    expect(await one.malipo(stack, 'deploy', 'ramp', 'two', '0')).toMatchObject({ exitCode: 0 });
    await paid([before, ...begun]);
    expect(new Set(await buildsOf([before, ...begun]))).toEqual(new Set([one.id]));
  });

  it('give moving workflows to the promoted one, and leave a nightly job to the one that started it', async () => {
    await startWorkerOf(two);
    const before = await begin();
    // Its statement is requested repeatedly, without success.
    await simulatorControl(stack.simulatorUrl, 'walletpay').next({
      call: 'statement',
      behave: '503',
      times: 100,
    });
    const night = await engine.client.workflow.start('reconciliation', {
      workflowId: `night-of-${deployment}`,
      taskQueue: stack.env['MALIPO_TASK_QUEUE'] ?? '',
      args: [{ rail: 'walletpay' }],
    });
    await waitFor(async () => (await versionIn(one.id))?.staying === 1 || undefined, {
      what: 'the nightly job to be visible',
      timeoutMs,
    });
    expect(await two.malipo(stack, 'deploy', 'promote', 'two')).toMatchObject({
      exitCode: 0,
      reply: { current: 'two', before: one.id, replayed: { failures: [], open: { stkPush: 1 } } },
    });
    const begun = await begin();
    await paid([before, begun]);
    expect(await buildsOf([before, begun])).toEqual(['two', 'two']);

    await night.signal('nobody knows this signal');
    expect(await doneBy(night.workflowId)).toEqual({ build: one.id, isPinned: true });
    const needed = await two.malipo(stack, 'deploy', 'drain', one.id);
    expect(needed).toMatchObject({ exitCode: 1, reply: { versions: [{ staying: 1, may_end: false }] } });
    await night.terminate();
    const drained = await two.malipo(stack, 'deploy', 'drain', one.id, '--wait', '4m');
    expect(drained).toMatchObject({ exitCode: 0, reply: { versions: [{ staying: 0, may_end: true }] } });
  });

  it('keep workflows from one that cannot continue them, and lose nothing if it gets them anyway', async () => {
    await startWorkerOf(three);
    const before = await begin();
    const refused = complaintOf(await three.malipo(stack, 'deploy', 'promote', 'three'));
    expect(refused).toMatch(/^1: Nothing was changed: this build cannot continue/);
    expect(refused).toContain('saved/');
    expect((await view()).currentBuildId).toBe('two');

    const forced = await three.malipo(stack, 'deploy', 'promote', 'three', '--replayed-elsewhere');
    expect(forced).toMatchObject({ exitCode: 0, reply: { replayed: null } });
    await pay(before);
    await waitFor(
      async () => {
        const { events } = await engine.client.workflow.getHandle(before.workflow_id).fetchHistory();
        return events?.find(({ workflowTaskFailedEventAttributes: failed }) => failed);
      },
      { what: 'the third build to fail', timeoutMs },
    );
    expect(await two.malipo(stack, 'deploy', 'promote', 'two')).toMatchObject({ exitCode: 0 });
    await over([before]);
    expect(await buildsOf([before])).toEqual(['two']);
  });

  it('have lost nothing, and paid nothing twice', async () => {
    await everythingEndsWell(stack, { merchants: [merchant], accepted: payments });
  });
});
