/** The stacks of workflows: promises have none, because each would cost time; errors have theirs. */
import { paymentCommand } from '../../support/workflows/commands';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { startStubWorker, type StubWorker } from './stub-worker';

describe('the stack', () => {
  let worker: StubWorker;
  beforeAll(async () => {
    // Its submission is never answered.
    worker = await startStubWorker('stacks', {
      submitToProvider: () => Promise.resolve({ afterMs: 60_000 }),
    });
  });
  afterAll(() => worker.stop());

  async function start(...args: unknown[]) {
    const { reference } = paymentCommand();
    return worker.client.workflow.start('stkPush', {
      workflowId: `stacks:${reference}`,
      taskQueue: worker.taskQueue,
      args,
    });
  }

  it('of a promise is not recorded', async () => {
    const handle = await start(paymentCommand());
    expect(await handle.query<string>('__stack_trace')).toBe('');
    await handle.terminate();
  });

  it('of an error names our code, in few lines', async () => {
    const handle = await start();
    const failure = await waitFor(
      async () => {
        const { events = [] } = await handle.fetchHistory();
        return events?.flatMap((event) => event.workflowTaskFailedEventAttributes?.failure ?? [])[0];
      },
      { what: 'a failed workflow task', timeoutMs: 60_000 },
    );
    await handle.terminate();
    expect(failure.stackTrace).toMatch(/workflows\/\S+\.[jt]s:\d+/);
    expect(failure.stackTrace?.match(/^ +at /gm)?.length).toBeLessThanOrEqual(4);
  });
});
