/** A worker with the project's workflows, whose activities are stubs: there is no payment behind what it runs. */
import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import {
  DefaultLogger,
  NativeConnection,
  Runtime,
  Worker,
  bundleWorkflowCode,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import type { Activities } from '../../../src/domain/commands';
import { testTemporalAddress } from '../../support/temporal';

export interface StubWorker {
  client: Client;
  /** Of its own, so that nobody else's worker takes what is begun there. */
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
    preloadModules: [require.resolve('../../../workflows/shallow-stacks')],
    logger,
  });
  const worker = await Worker.create({ connection: native, taskQueue, workflowBundle, activities });
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
