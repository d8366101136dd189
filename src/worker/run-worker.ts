import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from '@temporalio/worker';

const lookEveryMs = 1_000;

/**
 * Runs the worker until it is told to stop. Where Temporal refuses it for good (its key was taken back, its namespace is
 * gone), the SDK calls it failed and then waits for pollers that nobody ends: a process that only looks alive.
 * @throws when the worker has failed.
 */
export async function runWorker(
  worker: Pick<Worker, 'run' | 'getState'>,
  everyMs: number = lookEveryMs,
): Promise<void> {
  const over = new AbortController();
  const running = worker.run().finally(() => {
    over.abort();
  });
  await Promise.race([running, failed(worker, everyMs, over.signal)]);
}

async function failed(worker: Pick<Worker, 'getState'>, everyMs: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    await delay(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
    // How it ended is told by the run itself.
    if (signal.aborted) return new Promise(() => undefined);
    if (worker.getState() === 'FAILED') throw new Error('the worker has failed; the log says why');
  }
}
