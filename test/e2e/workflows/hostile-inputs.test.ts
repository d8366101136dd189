/** Signals and updates with contents that only somebody else can have written, in the Temporal UI or its command line. */
import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { names, type Activities, type StepResult } from '../../../src/domain/commands';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { paymentCommand, quietPolicy } from '../../support/workflows/commands';
import { startStubWorker, type StubWorker } from './stub-worker';

describe('a payment', () => {
  let worker: StubWorker;
  const standing: StepResult = { state: 'pending', webhookIds: [] };
  const summaries: string[] = [];
  beforeAll(async () => {
    const activities: Partial<Activities> = {
      submitToProvider: () =>
        Promise.resolve({ ...standing, answer: { kind: 'accepted' }, ageMs: 0, policy: quietPolicy() }),
      checkStatus({ cause }) {
        summaries.push(cause);
        return Promise.resolve({ ...standing, unanswered: false, unconfirmed: false });
      },
    };
    worker = await startStubWorker('hostile', activities);
  });
  afterAll(() => worker.stop());

  let handle: WorkflowHandle;
  beforeEach(async () => {
    Object.assign(standing, { state: 'pending' });
    summaries.length = 0;
    const command = paymentCommand();
    handle = await worker.client.workflow.start('stkPush', {
      workflowId: `hostile:${command.reference}`,
      taskQueue: worker.taskQueue,
      args: [command],
    });
    expect(await handle.executeUpdate(names.submissionResult)).toEqual({ kind: 'accepted' });
  });
  /** It still reads reports and ends. */
  afterEach(async () => {
    Object.assign(standing, { state: 'succeeded' });
    await handle.signal('notification');
    expect(await handle.result()).toMatchObject({ status: 'succeeded' });
  });

  const sendRaw = (signalName: string, encoding: string, data: string) =>
    worker.client.workflowService.signalWorkflowExecution({
      namespace: worker.client.options.namespace,
      workflowExecution: { workflowId: handle.workflowId },
      signalName,
      requestId: randomUUID(),
      input: { payloads: [{ metadata: { encoding: Buffer.from(encoding) }, data: Buffer.from(data) }] },
    });

  it.each([
    ['operator', 'json/protobuf', '{}'],
    ['operator', 'binary/unheard', '{}'],
    ['notification', 'json/plain', '{"broken'],
    ['unheard', 'json/plain', ''],
  ])('checks once after the signal %s as %s with %j', async (signal, encoding, data) => {
    await sendRaw(signal, encoding, data);
    await waitFor(() => Promise.resolve(summaries.length > 0), { what: 'a check', timeoutMs: 60_000 });
  });

  it.each(['toString', 'constructor', '__proto__'])('names the unknown signal %s', async (signal) => {
    await handle.signal(signal);
    const { timeline } = await handle.query<{ timeline: { text: string }[] }>(names.status);
    expect(timeline.map(({ text }) => text)).toContain(`after the signal ${signal}`);
  });

  it.each([{ toString: 1 }, 7, null, 'nobody', ['operator']])(
    'answers a check that is asked for by %j',
    async (source) => {
      expect(await handle.executeUpdate(names.check, { args: [source] })).toMatchObject({ state: 'pending' });
    },
  );

  it.each([[[]], [['abc']], [[1e17]], [[-1]], [[null]], [[0.5]]])(
    'refuses to move its clock by %j',
    async (args) => {
      await expect(handle.executeUpdate(names.advance, { args: args as [unknown] })).rejects.toThrow(
        /update failed/i,
      );
      expect(await handle.executeUpdate(names.advance, { args: [1_000] })).toMatch(/^\d{4}-/);
    },
  );
});
