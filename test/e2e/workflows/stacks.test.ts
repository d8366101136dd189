/** What Temporal's stack-trace query tells of a workflow, whose stacks are kept shallow. */
import { randomUUID } from 'node:crypto';
import type { PaymentCommand } from '../../../src/domain/commands';
import { startStubWorker, type StubWorker } from './stub-worker';

describe('a workflow that is asked where it stands', () => {
  let worker: StubWorker;
  beforeAll(async () => {
    // Its instruction is never answered.
    worker = await startStubWorker('stacks', { initiateInTask: () => Promise.resolve({ afterMs: 60_000 }) });
  });
  afterAll(() => worker.stop());

  it('names the function of ours that waits, in few lines', async () => {
    const command: PaymentCommand = {
      paymentId: randomUUID(),
      rail: 'stk',
      flow: 'collection',
      policy: { checksMs: [60_000], rechecksMs: [], watchMs: 60_000, confirmDelaysMs: [] },
    };
    const handle = await worker.client.workflow.start('stkPush', {
      workflowId: `stacks:${command.paymentId}`,
      taskQueue: worker.taskQueue,
      args: [command],
    });
    const told = await handle.query<string>('__stack_trace');
    expect(told).toMatch(/workflows\/\S+\.[jt]s:\d+/);
    await handle.terminate();
    for (const stack of told.split('\n\n')) expect(stack.split('\n').length).toBeLessThanOrEqual(5);
  });
});
