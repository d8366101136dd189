/**
 * A payment that is checked endlessly: its workflow continues in one run after the other, and no history grows too
 * long.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { names, type Activities, type StepResult } from '../../../src/domain/commands';
import { inParallel } from '../../../src/domain/in-parallel';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { paymentCommand, quietPolicy } from '../../support/workflows/commands';
import { startStubWorker, type StubWorker } from './stub-worker';

/** More than one run may have (see workflows/continue-as-new.ts). */
const reportsMany = 2_100;
const patienceMs = 120_000;
/** After so many in a row a payment is left to the sweeper (see src/domain/poll-schedule.ts). */
const confirmationsMax = 500;
/** Much more often than any merchant may cause a status query. */
const askEveryMs = 100;
/** The number of EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW. */
const continuedAsNew = 28;

describe('a payment whose history grows long', () => {
  const webhookId = 'undelivered';
  /** The payment's state in the database, as far as these activities have one. */
  const standing: StepResult = { state: 'pending', webhookIds: [] };
  const reviewed: string[] = [];
  const delaysOf = new Map<string, number[]>();
  let instructed = 0;
  let delivered = 0;
  let mayBeDelivered = false;
  let unconfirmed = false;
  let worker: StubWorker;
  let handle: WorkflowHandle;

  beforeAll(async () => {
    const submitToProvider: Activities['submitToProvider'] = ({ paymentId }) => {
      instructed += 1;
      const ageMs = instructed === 1 ? 0 : 60_000;
      const policy = quietPolicy({ watchMs: 3_600_000, confirmDelaysMs: delaysOf.get(paymentId) ?? [] });
      return Promise.resolve({ ...standing, answer: { kind: 'accepted' as const }, ageMs, policy });
    };
    const activities: Partial<Activities> = {
      submitToProvider,
      checkStatus({ cause }) {
        reviewed.push(cause);
        return Promise.resolve({ ...standing, unanswered: false, unconfirmed });
      },
      cancelAtProvider: () => Promise.resolve('too_late'),
      async sendWebhook({ patient }) {
        if (!patient) return { afterMs: 0 };
        await waitFor(() => Promise.resolve(mayBeDelivered), { what: 'it', timeoutMs: patienceMs });
        delivered += 1;
        return { result: 'delivered' };
      },
    };
    worker = await startStubWorker('long-story', activities);
    handle = await start([]);
    expect(await handle.executeUpdate(names.submissionResult)).toEqual({ kind: 'accepted' });
  });
  afterAll(() => {
    // A worker waits for its running activities.
    mayBeDelivered = true;
    return worker.stop();
  });

  function start(confirmDelaysMs: number[]): Promise<WorkflowHandle> {
    const paymentId = randomUUID();
    delaysOf.set(paymentId, confirmDelaysMs);
    const command = paymentCommand({
      rail: 'momo',
      kind: 'payout',
      flow: 'disbursement',
      reference: paymentId,
    });
    return worker.client.workflow.start('long', {
      workflowId: `long:${paymentId}`,
      taskQueue: worker.taskQueue,
      args: [command],
    });
  }

  const runId = async () => (await handle.describe()).runId;
  const historyOf = (run: string) => worker.client.workflow.getHandle(handle.workflowId, run).fetchHistory();

  it('continues in a new run, without losing an undelivered webhook, a report or a request', async () => {
    const first = await runId();
    Object.assign(standing, { state: 'timed_out', webhookIds: [webhookId] });
    await handle.signal('notification');
    await waitFor(() => Promise.resolve(reviewed.length > 0), { what: 'a look', timeoutMs: patienceMs });

    const asked = async () => {
      while ((await runId()) === first) {
        expect(await handle.executeUpdate(names.check)).toMatchObject({ state: 'timed_out' });
        expect(await handle.executeUpdate(names.cancel)).toBe('too_late');
        await delay(askEveryMs);
      }
    };
    const reported = inParallel(
      Array.from({ length: reportsMany }, (_, n) => n),
      50,
      () => handle.signal('notification').then(() => 'go_on' as const),
    );
    const [{ error }] = await Promise.all([reported, asked(), asked()]);
    expect(error).toBeUndefined();

    const { events } = await historyOf(first);
    expect(events?.at(-1)?.eventType).toBe(continuedAsNew);
    await waitFor(() => Promise.resolve(instructed > 1), { what: 'the next run', timeoutMs: patienceMs });

    const before = reviewed.length;
    await handle.signal('notification');
    expect(await handle.executeUpdate(names.check)).toMatchObject({ state: 'timed_out' });
    expect(reviewed.length).toBeGreaterThan(before);
    expect(await handle.executeUpdate(names.cancel)).toBe('too_late');
    expect(await handle.executeUpdate(names.submissionResult)).toEqual({ kind: 'accepted' });
    mayBeDelivered = true;
    await waitFor(() => Promise.resolve(delivered > 0), { what: 'the delivery', timeoutMs: patienceMs });

    Object.assign(standing, { state: 'cancelled', webhookIds: [] });
    await handle.signal('notification');
    const last = await runId();
    expect(await handle.result()).toMatchObject({ status: 'cancelled' });
    for (const run of [first, last])
      await Worker.runReplayHistory({ workflowBundle: worker.workflowBundle }, await historyOf(run));
  });

  it('continues in a new run while only its webhook is left, too', async () => {
    mayBeDelivered = false;
    Object.assign(standing, { state: 'succeeded', webhookIds: [webhookId] });
    const paid = await start([]);
    const { runId: first } = await paid.describe();
    const signalled = () => paid.signal('notification').then(() => 'go_on' as const);
    const all = Array.from({ length: reportsMany }, (_, n) => n);
    expect((await inParallel(all, 50, signalled)).error).toBeUndefined();
    const isNew = async () => (await paid.describe()).runId !== first || undefined;
    await waitFor(isNew, { what: 'the next run', timeoutMs: patienceMs });
    mayBeDelivered = true;
    expect(await paid.result()).toMatchObject({ status: 'succeeded', webhook: 'succeeded, delivered' });
  });

  it('is polled for confirmation only a limited number of times, however long its history grows', async () => {
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
      for (let n = 0; n < 3; n += 1)
        expect(await unsure.executeUpdate(names.check)).toMatchObject({ state: 'timed_out' });
      return asked() === before;
    };
    await waitFor(isLeftAlone, { what: 'the end of the queries', timeoutMs: patienceMs });
    expect((await unsure.describe()).runId).toBe(
      events?.[0]?.workflowExecutionStartedEventAttributes?.originalExecutionRunId,
    );
    await unsure.terminate();
  });
});
