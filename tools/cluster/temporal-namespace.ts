/** What a server needs before a payment can run on it: the namespace, our search attributes, and that all of it works. */
import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { searchAttributes } from '../../src/domain/search-attributes';
import { ensureSearchAttributes } from '../sandbox/services/temporal-health';
import { waitFor } from '../sandbox/services/wait-for';
import type { TemporalConnectionOptions } from '../../src/process/temporal-connection';

/** What has ended is kept for so long: the least that Temporal takes, because the database is the record. */
const retentionSeconds = 86_400;
const alreadyExists = 6;
/** The one command of a workflow that has nothing to do: that it has completed. */
const commands = [{ commandType: 4, completeWorkflowExecutionCommandAttributes: {} }];

/** Waits for the frontend, and for the namespace to have come round. */
export async function ensureNamespace(server: TemporalConnectionOptions, namespace: string): Promise<void> {
  await waitFor(
    async () => {
      await register(server, namespace);
      await ensureSearchAttributes(server, namespace);
      return true;
    },
    { what: `the namespace ${namespace}`, timeoutMs: 180_000, everyMs: 200 },
  );
}

async function register(server: TemporalConnectionOptions, namespace: string): Promise<void> {
  await withConnection(server, async ({ workflowService }) => {
    try {
      await workflowService.registerNamespace({
        namespace,
        description: 'Payments, watches and vouchers of Malipo',
        // Typed as a long number, and taken as any.
        workflowExecutionRetentionPeriod: { seconds: retentionSeconds as never },
      });
    } catch (error) {
      if ((error as { code?: unknown }).code !== alreadyExists) throw error;
    }
  });
}

/**
 * Lets one workflow run from its start to its end, found by our search attributes: all services and both databases have a
 * part in that. Nothing but a deleted workflow is left of it.
 */
export async function untilWorkflowsRun(server: TemporalConnectionOptions, namespace: string): Promise<void> {
  await waitFor(() => runOne(server, namespace), {
    what: `a workflow to run on Temporal at ${server.address}`,
    timeoutMs: 180_000,
    everyMs: 200,
  });
}

async function runOne(server: TemporalConnectionOptions, namespace: string): Promise<boolean> {
  return withConnection(server, async (connection) => {
    const { workflowService } = connection;
    const id = `probe:${randomUUID()}`;
    const identity = 'malipo-probe';
    const client = new Client({ connection, namespace });
    const handle = await client.workflow.start('probe', {
      workflowId: id,
      taskQueue: id,
      workflowExecutionTimeout: '2 minutes',
      typedSearchAttributes: Object.values(searchAttributes).map((key) => ({ key, value: id })),
    });
    const { taskToken } = await workflowService.pollWorkflowTaskQueue({
      namespace,
      taskQueue: { name: id },
      identity,
    });
    if (taskToken.length === 0) throw new Error('no task came of a workflow that was started');
    await workflowService.respondWorkflowTaskCompleted({
      namespace,
      taskToken,
      identity,
      commands,
    });
    await handle.result();
    const query = `${searchAttributes.reference.name} = '${id}' AND ExecutionStatus = 'Completed'`;
    await waitFor(async () => (await client.workflow.count(query)).count === 1, {
      what: 'the workflow to be found',
      timeoutMs: 20_000,
    });
    await workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId: id } });
    return true;
  });
}

/** On a busy machine each of these may take seconds. */
async function withConnection<T>(
  server: TemporalConnectionOptions,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await Connection.connect({ ...server, connectTimeout: 10_000 });
  try {
    return await connection.withDeadline(Date.now() + 30_000, () => work(connection));
  } finally {
    await connection.close();
  }
}
