/**
 * Whatever a workflow does while something rides inside its task, its history can be replayed. Its activities are stubs
 * that take as long as they are told to; where tasks time out early, much arrives while one of them is under way.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { names, type Activities, type PaymentCommand } from '../../../src/domain/commands';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { startStubWorker, type StubWorker } from './stub-worker';

/** Of a workflow task; one that takes longer than most of it is prolonged, and takes in what has come meanwhile. */
const taskTimeoutMs = 2_000;

describe('the history of a payment whose tasks do what takes moments', () => {
  let worker: StubWorker;
  /** By payment: the webhooks that its first review brings, how long the merchant takes, and who was told in a task. */
  const merchants = new Map<string, { webhooks: number; takesMs: number; told: string[] }>();
  beforeAll(async () => {
    const activities: Partial<Activities> = {
      initiateInTask: () =>
        Promise.resolve({ state: 'pending', webhookIds: [], answer: { kind: 'accepted' }, ageMs: 0 }),
      review({ paymentId }) {
        const { webhooks, told } = merchantOf(paymentId);
        const isFirst = told.length === 0;
        const webhookIds = Array.from(
          { length: isFirst ? webhooks : 0 },
          (_, n) => `${paymentId} ${String(n)}`,
        );
        return Promise.resolve({ state: 'timed_out', webhookIds, unanswered: false, unconfirmed: false });
      },
      cancelQueued: () => Promise.resolve('too_late'),
      async deliverInTask({ webhookId }) {
        const [paymentId = '', n = ''] = webhookId.split(' ');
        const { told, takesMs } = merchantOf(paymentId);
        told.push(n);
        await delay(takesMs);
        return { afterMs: 0 };
      },
      deliverWebhook: () => Promise.resolve(),
    };
    worker = await startStubWorker('in-task', activities);
  });
  afterAll(() => worker.stop());

  function merchantOf(paymentId: string) {
    const found = merchants.get(paymentId);
    if (!found) throw new Error(`nobody began ${paymentId}`);
    return found;
  }

  function begin(merchant: { webhooks: number; takesMs: number }, watchMs = 300) {
    const paymentId = randomUUID();
    merchants.set(paymentId, { ...merchant, told: [] });
    const command: PaymentCommand = {
      paymentId,
      rail: 'momo',
      flow: 'disbursement',
      policy: { checksMs: [300], rechecksMs: [300], watchMs, confirmDelaysMs: [] },
    };
    return worker.client.workflow.start('told', {
      workflowId: `told:${paymentId}`,
      taskQueue: worker.taskQueue,
      args: [command],
      ...(watchMs > taskTimeoutMs && { workflowTaskTimeout: taskTimeoutMs }),
    });
  }

  const toldBy = ({ workflowId }: WorkflowHandle) => merchantOf(workflowId.replace('told:', '')).told;

  async function replay(handle: WorkflowHandle): Promise<void> {
    await handle.result();
    await Worker.runReplayHistory({ workflowBundle: worker.workflowBundle }, await handle.fetchHistory());
  }

  it('is told again where the provider was due to be asked while the merchant was told', async () => {
    const handle = await begin({ webhooks: 1, takesMs: 200 });
    await replay(handle);
    expect(new Set(toldBy(handle))).toEqual(new Set(['0']));
  });

  it('is told again where there were several webhooks, of which one was tried in the task', async () => {
    const handle = await begin({ webhooks: 3, takesMs: 100 });
    await replay(handle);
    expect(new Set(toldBy(handle))).toEqual(new Set(['0']));
  });

  it('is told again whatever came while the merchant was told', async () => {
    const arrivals: ((handle: WorkflowHandle) => Promise<unknown>)[] = [
      (handle) => handle.signal(names.outcomeReported),
      (handle) => handle.executeUpdate(names.check),
      (handle) => handle.executeUpdate(names.cancel),
      (handle) => handle.executeUpdate(names.acceptance),
      (handle) => handle.executeUpdate(names.advance, { args: [1] }),
    ];
    const lateMs = taskTimeoutMs * 1.5;
    await Promise.all(
      arrivals.map(async (arrive) => {
        const handle = await begin({ webhooks: 1, takesMs: lateMs }, 2 * lateMs);
        await waitFor(() => Promise.resolve(toldBy(handle).length > 0), {
          what: 'the merchant to be told',
          timeoutMs: 30_000,
          everyMs: 20,
        });
        await arrive(handle);
        await replay(handle);
      }),
    );
  });
});
