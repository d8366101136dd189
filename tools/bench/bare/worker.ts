/** Runs the bare workflow with the worker settings of src/worker.ts. */
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { UnhurriedWorker } from '../../../src/worker/run-worker';
import { temporalOptionsOf } from '../../../src/process/temporal-connection';
import * as activities from './activities';
import { serveParent, settings } from './child';

async function main(): Promise<void> {
  const { temporal, taskQueue, bundle, worker: further } = settings();
  Runtime.install({
    logger: new DefaultLogger('WARN'),
    telemetryOptions: { logging: { filter: { core: 'WARN', other: 'WARN' }, forward: {} } },
  });
  const connection = await NativeConnection.connect(temporalOptionsOf(temporal));
  const worker = await UnhurriedWorker.create({
    connection,
    namespace: temporal.temporalNamespace,
    taskQueue,
    workflowBundle: { codePath: bundle },
    activities,
    maxConcurrentWorkflowTaskExecutions: 100,
    maxConcurrentActivityTaskExecutions: 300,
    maxConcurrentLocalActivityExecutions: 100,
    workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: 10 },
    activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 10 },
    maxCachedWorkflows: 1_000,
    ...further,
  });
  serveParent();
  await worker.run();
  await connection.close();
}

void main();
