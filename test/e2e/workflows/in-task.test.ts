/**
 * Any history of a workflow with local activities can be replayed. The activities are stubs with a set duration; with
 * short task timeouts, much arrives during one of them.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { names, type Activities, type Policy } from '../../../src/domain/commands';
import { updated } from '../../../src/rail-kit/engine';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { paymentCommand, quietPolicy } from '../../support/workflows/commands';
import { startStubWorker, type StubWorker } from './stub-worker';

/** Of a workflow task; one that takes most of it is extended, and gets the events that came meanwhile. */
const taskTimeoutMs = 2_000;

describe('the history of a payment with local activities', () => {
  let worker: StubWorker;
  /** By payment: the webhooks of its first review, the merchant's answer time, and the deliveries within a task. */
  const merchants = new Map<
    string,
    { webhooks: number; takesMs: number; reported: string[]; policy: Policy }
  >();
  beforeAll(async () => {
    const activities: Partial<Activities> = {
      submitToProvider: ({ paymentId }) =>
        Promise.resolve({
          ...{ state: 'pending', webhookIds: [], answer: { kind: 'accepted' }, ageMs: 0 },
          policy: merchantOf(paymentId).policy,
        }),
      checkStatus({ paymentId }) {
        const { webhooks, reported } = merchantOf(paymentId);
        const isFirst = reported.length === 0;
        const webhookIds = Array.from(
          { length: isFirst ? webhooks : 0 },
          (_, n) => `${paymentId} ${String(n)}`,
        );
        return Promise.resolve({ state: 'timed_out', webhookIds, unanswered: false, unconfirmed: false });
      },
      cancelAtProvider: () => Promise.resolve('too_late'),
      async sendWebhook({ webhookId, patient }) {
        if (patient) return { result: 'delivered' };
        const [paymentId = '', n = ''] = webhookId.split(' ');
        const { reported, takesMs } = merchantOf(paymentId);
        reported.push(n);
        await delay(takesMs);
        return { afterMs: 0 };
      },
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
    const policy = quietPolicy({ checksMs: [300], rechecksMs: [300], watchMs });
    merchants.set(paymentId, { ...merchant, reported: [], policy });
    const command = paymentCommand({
      rail: 'momo',
      kind: 'payout',
      flow: 'disbursement',
      reference: paymentId,
    });
    return worker.client.workflow.start('told', {
      workflowId: `told:${paymentId}`,
      taskQueue: worker.taskQueue,
      args: [command],
      ...(watchMs > taskTimeoutMs && { workflowTaskTimeout: taskTimeoutMs }),
    });
  }

  const reportedBy = ({ workflowId }: WorkflowHandle) => merchantOf(workflowId.replace('told:', '')).reported;

  async function replay(handle: WorkflowHandle): Promise<void> {
    await handle.result();
    await Worker.runReplayHistory({ workflowBundle: worker.workflowBundle }, await handle.fetchHistory());
  }

  it('replays if a provider query was due during a webhook delivery', async () => {
    const handle = await begin({ webhooks: 1, takesMs: 200 });
    await replay(handle);
    expect(new Set(reportedBy(handle))).toEqual(new Set(['0']));
  });

  it('replays with several webhooks, of which one was tried within the task', async () => {
    const handle = await begin({ webhooks: 3, takesMs: 100 });
    await replay(handle);
    expect(new Set(reportedBy(handle))).toEqual(new Set(['0']));
  });

  it('replays with any event during a webhook delivery', async () => {
    const arrivals: ((handle: WorkflowHandle) => Promise<unknown>)[] = [
      (handle) => handle.signal('notification'),
      (handle) => updated(() => handle.executeUpdate(names.check)),
      (handle) => updated(() => handle.executeUpdate(names.cancel)),
      (handle) => updated(() => handle.executeUpdate(names.submissionResult)),
      (handle) => updated(() => handle.executeUpdate(names.advance, { args: [1] })),
    ];
    const lateMs = taskTimeoutMs * 1.5;
    await Promise.all(
      arrivals.map(async (arrive) => {
        const handle = await begin({ webhooks: 1, takesMs: lateMs }, 2 * lateMs);
        await waitFor(() => Promise.resolve(reportedBy(handle).length > 0), {
          what: 'the webhook to be delivered',
          timeoutMs: 30_000,
          everyMs: 20,
        });
        await arrive(handle);
        await replay(handle);
      }),
    );
  });
});
