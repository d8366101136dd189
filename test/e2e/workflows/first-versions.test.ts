/** From workers without versions to workers with one, and back, while payments are open. */
import { randomBytes } from 'node:crypto';
import type { PaymentRow } from '../../../src/store/tables';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { viewDeployment } from '../../../src/worker/versions/server-view';
import { everythingEndsWell } from '../../faults/support/ending-well';
import { simulatorControl, type SimulatorControl } from '../../support/rails/simulator-control';
import { accepted, ended } from '../../support/rails/stk/payments';
import { startStack, type FurtherProcess, type OwnStack, type TestMerchant } from '../../support/stack';
import { ownBuild } from './another-build';
import { connectEngine, type TestEngine } from '../../support/workflows/temporal-client';

const timeoutMs = 240_000;
const deployment = `malipo-${randomBytes(6).toString('hex')}`;

describe('workers that get a version', () => {
  const build = ownBuild();
  let stack: OwnStack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  let engine: TestEngine;
  let versioned: FurtherProcess;
  const payments: string[] = [];
  beforeAll(async () => {
    stack = await startStack({ timeScale: 1 });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'stk');
    engine = await connectEngine(stack);
  });
  afterAll(async () => {
    await engine.close();
    await stack.stop();
  });

  /** Its customer waits until the test decides. */
  async function begin(): Promise<PaymentRow> {
    const phone = `254719${String(100 + payments.length)}600`;
    const payment = await accepted(stack, merchant, { phone_number: phone });
    payments.push(payment.payment_id);
    return payment;
  }

  /** Paid, with the version of its workflow's last task: undefined for workers without a version. */
  async function paidBy({ payment_id: id, provider_reference: prompt, workflow_id: workflowId }: PaymentRow) {
    await provider.decide(prompt ?? '', 'pay').catch(() => provider.decide(prompt ?? '', 'pay_late'));
    await ended(stack.db, id, ['succeeded']);
    const handle = engine.client.workflow.getHandle(workflowId);
    await engine.client.withDeadline(Date.now() + timeoutMs, () => handle.result());
    return (await handle.describe()).raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId;
  }

  const view = () =>
    viewDeployment({
      client: engine.client,
      namespace: 'default',
      taskQueue: stack.env['MALIPO_TASK_QUEUE'] ?? '',
      deployment: { name: deployment, buildId: undefined },
    });

  async function end({ child }: Pick<FurtherProcess, 'child'>): Promise<void> {
    process.kill(-child.pid, 'SIGTERM');
    expect(await child.exited).toBe('code 0');
  }

  it('continue the workflows of workers without one', async () => {
    const before = await begin();
    versioned = await stack.startAnother('worker', { MALIPO_DEPLOYMENT: deployment });
    await waitFor(async () => (await view())?.currentBuildId === build.id, {
      what: 'the first version to be current',
      timeoutMs,
    });
    await end({ child: stack.process('worker') });
    expect(await paidBy(before)).toBe(build.id);
    expect(await paidBy(await begin())).toBe(build.id);
  });

  it('return open workflows when versions are no longer used, after a replay', async () => {
    const before = await begin();
    await stack.start('worker');
    const reportedOf = { ...stack, env: { ...stack.env, MALIPO_DEPLOYMENT: deployment } };
    await waitFor(async () => ((await view())?.unversionedPollers ?? 0) > 0, {
      what: 'the worker without a version to poll',
      timeoutMs,
    });
    const off = await build.malipo(reportedOf, 'deploy', 'unset');
    expect(off).toMatchObject({
      exitCode: 0,
      reply: { current: null, before: build.id, replayed: { failures: [], open: { stkPush: 1 } } },
    });
    const drained = await build.malipo(reportedOf, 'deploy', 'drain', build.id, '--wait', '4m');
    expect(drained).toMatchObject({ exitCode: 0, reply: { versions: [{ staying: 0, may_end: true }] } });
    await end(versioned);
    expect(await paidBy(before)).not.toBe(build.id);
    expect(await paidBy(await begin())).not.toBe(build.id);
  });

  it('have lost nothing, and paid nothing twice', async () => {
    await everythingEndsWell(stack, { merchants: [merchant], accepted: payments });
  });
});
