/** A worker with the project's workflows and stub activities: no payment belongs to its workflows. */
import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import {
  DefaultLogger,
  NativeConnection,
  Runtime,
  bundleWorkflowCode,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import type { Activities } from '../../../src/domain/commands';
import { UnhurriedWorker } from '../../../src/worker/run-worker';
import { testTemporalAddress } from '../../support/temporal';

export interface StubWorker {
  client: Client;
  /** A separate one, so that no other worker takes its tasks. */
  taskQueue: string;
  workflowBundle: WorkflowBundleWithSourceMap;
  stop(): Promise<void>;
}

export async function startStubWorker(name: string, activities: Partial<Activities>): Promise<StubWorker> {
  const logger = new DefaultLogger('ERROR');
  Runtime.install({ logger });
  const taskQueue = `${name}-${randomUUID()}`;
  const connection = await Connection.connect({ address: testTemporalAddress() });
  const native = await NativeConnection.connect({ address: testTemporalAddress() });
  const workflowBundle = await bundleWorkflowCode({
    workflowsPath: require.resolve('../../../workflows'),
    payloadConverterPath: require.resolve('../../../workflows/lenient-payloads'),
    preloadModules: [require.resolve('../../../workflows/without-stacks')],
    logger,
  });
  const worker = await UnhurriedWorker.create({ connection: native, taskQueue, workflowBundle, activities });
  const running = worker.run();
  return {
    client: new Client({ connection }),
    taskQueue,
    workflowBundle,
    async stop() {
      worker.shutdown();
      await running;
      await native.close();
      await connection.close();
    },
  };
}
