import { NativeConnection, type Worker } from '@temporalio/worker';
import { renewed, type LineOptions } from '../process/client-line';
import { temporalOptionsOf, type TemporalSettings } from '../process/temporal-connection';

export interface WorkerLine {
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
