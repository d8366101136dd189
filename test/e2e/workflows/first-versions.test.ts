/** From workers without versions to such with one, and back, while payments are open. */
import { randomBytes } from 'node:crypto';
import type { PaymentRow } from '../../../src/store/tables';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { viewDeployment } from '../../../src/worker/versions/server-view';
import { everythingEndsWell } from '../../faults/support/ending-well';
import { simulatorControl, type SimulatorControl } from '../../support/rails/simulator-control';
import { accepted, ended } from '../../support/rails/stk/payment-story';
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

  /** Its customer waits until the test lets him pay. */
  async function begin(): Promise<PaymentRow> {
    const phone = `254719${String(100 + payments.length)}600`;
    const payment = await accepted(stack, merchant, { phone_number: phone });
    payments.push(payment.payment_id);
    return payment;
  }

  /** Paid, with whom the last task of its workflow was: undefined for workers without a version. */
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

  it('go on with what those without one have begun', async () => {
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

  it('give back what is open where the versions are given up, once it was replayed', async () => {
    const before = await begin();
    await stack.start('worker');
    const toldOf = { ...stack, env: { ...stack.env, MALIPO_DEPLOYMENT: deployment } };
    await waitFor(async () => ((await view())?.unversionedPollers ?? 0) > 0, {
      what: 'the worker without a version to ask',
      timeoutMs,
    });
    const off = await build.malipo(toldOf, 'deploy', 'off');
    expect(off).toMatchObject({
      exitCode: 0,
      said: { current: null, before: build.id, replayed: { failures: [], open: { stkPush: 1 } } },
    });
    const drained = await build.malipo(toldOf, 'deploy', 'drain', build.id, '--wait', '4m');
    expect(drained).toMatchObject({ exitCode: 0, said: { versions: [{ staying: 0, may_end: true }] } });
    await end(versioned);
    expect(await paidBy(before)).not.toBe(build.id);
    expect(await paidBy(await begin())).not.toBe(build.id);
  });

  it('have lost nothing, and paid nothing twice', async () => {
    await everythingEndsWell(stack, { merchants: [merchant], accepted: payments });
  });
});
