/** A worker that Temporal rejects for good ends, so that its supervisor can restart it. */
import type { Worker } from '@temporalio/worker';
import { runWorker } from '../../../src/worker/run-worker';

type State = ReturnType<Worker['getState']>;

function worker(state: () => State, run: Promise<void>): Parameters<typeof runWorker>[0] {
  return { getState: state, run: () => run };
}
const never = new Promise<void>(() => undefined);

describe('a worker', () => {
  it('that has failed and still waits ends its process', async () => {
    let state: State = 'RUNNING';
    const running = runWorker(
      worker(() => state, never),
      5,
    );
    state = 'FAILED';
    await expect(running).rejects.toThrow('the worker has failed');
  });

  it('that is stopped ends with its run, also with an error of the run', async () => {
    await expect(
      runWorker(
        worker(() => 'STOPPED', Promise.resolve()),
        5,
      ),
    ).resolves.toBeUndefined();
    const fault = Promise.reject(new Error('the reason'));
    await expect(
      runWorker(
        worker(() => 'FAILED', fault),
        60_000,
      ),
    ).rejects.toThrow('the reason');
  });
});
