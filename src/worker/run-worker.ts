import { setTimeout as delay } from 'node:timers/promises';
import { Worker, NativeConnection, type Logger } from '@temporalio/worker';
import type { CompiledWorkerOptions } from '@temporalio/worker/lib/worker-options';
import type { WorkflowCreator } from '@temporalio/worker/lib/workflow/interface';
import type { WorkflowBundleWithSourceMapAndFilename } from '@temporalio/worker/lib/workflow/workflow-worker-thread/input';
import { renewed, type LineOptions } from '../process/client-line';
import { temporalOptionsOf, type TemporalSettings } from '../process/temporal-connection';

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

/**
 * The SDK has Node end workflow code that runs for longer than 5 s. These also pass while the machine sleeps or the
 * process is frozen, and code that is ended right then may take the whole process along ("async hook stack has become
 * corrupted"). For each entry into workflow code, some thirty of a payment, Node starts and joins a thread that would end
 * it: fifty times what the entry costs otherwise. Ours never runs for long, so Node is told no limit.
 */
export class UnhurriedWorker extends Worker {
  protected static override createWorkflowCreator(
    workflowBundle: WorkflowBundleWithSourceMapAndFilename,
    options: CompiledWorkerOptions,
    logger: Logger,
  ): Promise<WorkflowCreator> {
    // The setting itself cannot be left out; what comes of it can, and is then Node's default.
    const unhurried = { ...options, isolateExecutionTimeoutMs: undefined as unknown as number };
    return super.createWorkflowCreator(workflowBundle, unhurried, logger);
  }
}

interface WorkerLine {
  connection: NativeConnection;
  /** From now on the worker is moved to each new line. */
  serve(worker: Pick<Worker, 'connection'>): void;
  /** Once the worker has ended. */
  close(): Promise<void>;
}

/** @throws ConfigError, or a TransportError where Temporal cannot be reached. */
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
