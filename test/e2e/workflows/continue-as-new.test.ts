/** A payment that is looked at without end: its story goes on in one run after the other, and none grows too long. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { names, type Activities, type PaymentCommand, type StepResult } from '../../../src/domain/commands';
import { inParallel } from '../../../src/domain/in-parallel';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { startStubWorker, type StubWorker } from './stub-worker';

/** More than one run may take (see workflows/continue-as-new.ts). */
const reportsMany = 2_100;
const patienceMs = 120_000;
/** After so many in a row a payment is left to the sweeper (see src/domain/poll-schedule.ts). */
const confirmationsMax = 500;
/** Much more often than any merchant may have a provider asked. */
const askEveryMs = 100;
/** The number of EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW. */
const continuedAsNew = 28;

describe('a payment whose history grows long', () => {
  const webhookId = 'undelivered';
  /** How the payment stands in the database, as far as these activities have one. */
  const standing: StepResult = { state: 'pending', webhookIds: [] };
  const reviewed: string[] = [];
  let instructed = 0;
  let delivered = 0;
  let mayBeDelivered = false;
  let unconfirmed = false;
  let worker: StubWorker;
  let handle: WorkflowHandle;

  beforeAll(async () => {
    const initiate = () => {
      instructed += 1;
      const ageMs = instructed === 1 ? 0 : 60_000;
      return Promise.resolve({ ...standing, answer: { kind: 'accepted' as const }, ageMs });
    };
    const activities: Partial<Activities> = {
      initiateInTask: initiate,
      initiate,
      review({ cause }) {
        reviewed.push(cause);
        return Promise.resolve({ ...standing, unanswered: false, unconfirmed });
      },
      cancelQueued: () => Promise.resolve('too_late'),
      deliverInTask: () => Promise.resolve({ afterMs: 0 }),
      async deliverWebhook() {
        await waitFor(() => Promise.resolve(mayBeDelivered), { what: 'it', timeoutMs: patienceMs });
        delivered += 1;
      },
    };
    worker = await startStubWorker('long-story', activities);
    handle = await start([]);
    expect(await handle.executeUpdate(names.acceptance)).toEqual({ kind: 'accepted' });
  });
  afterAll(() => {
    // A worker waits for what it is doing.
    mayBeDelivered = true;
    return worker.stop();
  });

  function start(confirmDelaysMs: number[]): Promise<WorkflowHandle> {
    const paymentId = randomUUID();
    const command: PaymentCommand = {
      paymentId,
      rail: 'momo',
      flow: 'disbursement',
      policy: { checksMs: [], rechecksMs: [], watchMs: 3_600_000, confirmDelaysMs },
    };
    return worker.client.workflow.start('long', {
      workflowId: `long:${paymentId}`,
      taskQueue: worker.taskQueue,
      args: [command],
    });
  }

  const runId = async () => (await handle.describe()).runId;
  const historyOf = (run: string) => worker.client.workflow.getHandle(handle.workflowId, run).fetchHistory();

  it('goes on in a new run, which loses nothing that is undelivered, reported or asked', async () => {
    const first = await runId();
    Object.assign(standing, { state: 'timed_out', webhookIds: [webhookId] });
    await handle.signal(names.outcomeReported);
    await waitFor(() => Promise.resolve(reviewed.length > 0), { what: 'a look', timeoutMs: patienceMs });

    const asked = async () => {
      while ((await runId()) === first) {
        expect(await handle.executeUpdate(names.check)).toBe('timed_out');
        expect(await handle.executeUpdate(names.cancel)).toBe('too_late');
        await delay(askEveryMs);
      }
    };
    const reported = inParallel(
      Array.from({ length: reportsMany }, (_, n) => n),
      50,
      () => handle.signal(names.outcomeReported).then(() => 'go_on' as const),
    );
    const [{ error }] = await Promise.all([reported, asked(), asked()]);
    expect(error).toBeUndefined();

    const { events } = await historyOf(first);
    expect(events?.at(-1)?.eventType).toBe(continuedAsNew);
    await waitFor(() => Promise.resolve(instructed > 1), { what: 'the next run', timeoutMs: patienceMs });

    const before = reviewed.length;
    await handle.signal(names.outcomeReported);
    expect(await handle.executeUpdate(names.check)).toBe('timed_out');
    expect(reviewed.length).toBeGreaterThan(before);
    expect(await handle.executeUpdate(names.cancel)).toBe('too_late');
    expect(await handle.executeUpdate(names.acceptance)).toEqual({ kind: 'accepted' });
    mayBeDelivered = true;
    await waitFor(() => Promise.resolve(delivered > 0), { what: 'the delivery', timeoutMs: patienceMs });

    Object.assign(standing, { state: 'cancelled', webhookIds: [] });
    await handle.signal(names.outcomeReported);
    const last = await runId();
    expect(await handle.result()).toBe('cancelled');
    for (const run of [first, last])
      await Worker.runReplayHistory({ workflowBundle: worker.workflowBundle }, await historyOf(run));
  });

  it('is asked for a confirmation only so often, however long its history grows by that', async () => {
    Object.assign(standing, { state: 'timed_out', webhookIds: [] });
    unconfirmed = true;
    reviewed.length = 0;
    const asked = () => reviewed.filter((cause) => cause === 'confirmation').length;
    const unsure = await start([1]);
    const isOver = () => Promise.resolve(asked() >= confirmationsMax);
    await waitFor(isOver, { what: 'the last confirmation', timeoutMs: 240_000 });
    const { events } = await unsure.fetchHistory();
    expect(events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId).toBeFalsy();
    expect(events?.length).toBeGreaterThan(2_000);
    const isLeftAlone = async () => {
      const before = asked();
      for (let n = 0; n < 3; n += 1) expect(await unsure.executeUpdate(names.check)).toBe('timed_out');
      return asked() === before;
    };
    await waitFor(isLeftAlone, { what: 'an end of the questions', timeoutMs: patienceMs });
    expect((await unsure.describe()).runId).toBe(
      events?.[0]?.workflowExecutionStartedEventAttributes?.originalExecutionRunId,
    );
    await unsure.terminate();
  });
});
