import { setTimeout as delay } from 'node:timers/promises';
import { Worker, NativeConnection, type Logger } from '@temporalio/worker';
import type { CompiledWorkerOptions } from '@temporalio/worker/lib/worker-options';
import type { WorkflowCreator } from '@temporalio/worker/lib/workflow/interface';
import type { WorkflowBundleWithSourceMapAndFilename } from '@temporalio/worker/lib/workflow/workflow-worker-thread/input';
import { renewed, type LineOptions } from '../process/client-line';
import { temporalOptionsOf, type TemporalSettings } from '../process/temporal-connection';

const checkEveryMs = 1_000;

/**
 * Runs the worker until a signal ends the process. If Temporal rejects it for good (its key was revoked, its namespace
 * is gone), the SDK marks it as failed and then waits forever for its pollers: the process would only look alive.
 * @throws when the worker has failed.
 */
export async function runWorker(
  worker: Pick<Worker, 'run' | 'getState'>,
  everyMs: number = checkEveryMs,
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
    // The promise of the run itself reports how it ended.
    if (signal.aborted) return new Promise(() => undefined);
    if (worker.getState() === 'FAILED') throw new Error('the worker has failed; the log says why');
  }
}

/**
 * The SDK lets Node end workflow code that runs over 5 s. These also pass while the machine sleeps or the process is
 * frozen. Code that is ended then can crash the process ("async hook stack has become corrupted"). Also, for each entry
 * into workflow code, about thirty per payment, Node starts and joins a thread for the limit: fifty times the cost of
 * the entry itself. Our code never runs for long, so this worker sets no limit.
 */
export class UnhurriedWorker extends Worker {
  protected static override createWorkflowCreator(
    workflowBundle: WorkflowBundleWithSourceMapAndFilename,
    options: CompiledWorkerOptions,
    logger: Logger,
  ): Promise<WorkflowCreator> {
    // The option cannot be omitted, but `undefined` in its result can, which is Node's default.
    const unhurried = { ...options, isolateExecutionTimeoutMs: undefined as unknown as number };
    return super.createWorkflowCreator(workflowBundle, unhurried, logger);
  }
}

interface WorkerLine {
  connection: NativeConnection;
  /** From now on the worker is moved to each new connection. */
  serve(worker: Pick<Worker, 'connection'>): void;
  /** Call this after the worker has ended. */
  close(): Promise<void>;
}

/** @throws ConfigError, or a TransportError if Temporal cannot be reached. */
export async function openWorkerLine(settings: TemporalSettings, options: LineOptions): Promise<WorkerLine> {
  const first = temporalOptionsOf(settings);
  const connection = await NativeConnection.connect(first);
  let served: Pick<Worker, 'connection'> | undefined;
  const line = renewed<NativeConnection>(
    {
      settings,
      first: { line: connection, options: first },
      open: (changed) => NativeConnection.connect(changed),
      adopt(next) {
        if (served) served.connection = next;
      },
    },
    options,
  );
  return {
    connection,
    serve(worker) {
      served = worker;
      worker.connection = line.current();
    },
    close: () => line.close(),
  };
}
