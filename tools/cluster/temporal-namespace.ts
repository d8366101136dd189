/** What a server needs before payments can run: the namespace, our search attributes, and a working workflow. */
import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { searchAttributes } from '../../src/domain/search-attributes';
import { ensureSearchAttributes } from '../sandbox/services/temporal-health';
import { waitFor } from '../sandbox/services/wait-for';
import type { TemporalConnectionOptions } from '../../src/process/temporal-connection';

const { onHold, openCase, ...others } = searchAttributes;
const keywords = Object.values(others);

/** How long closed workflows are kept: the minimum, because the database has the record. */
const retentionSeconds = 86_400;
const alreadyExists = 6;
/** The only command of an empty workflow: it completes. */
const commands = [{ commandType: 4, completeWorkflowExecutionCommandAttributes: {} }];

/** Waits for the frontend, and until the namespace is known everywhere. */
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
        description: 'Payments and vouchers of Malipo',
        // Its type is a long integer, but any number works.
        workflowExecutionRetentionPeriod: { seconds: retentionSeconds as never },
      });
    } catch (error) {
      if ((error as { code?: unknown }).code !== alreadyExists) throw error;
    }
  });
}

/**
 * Runs one workflow from start to end, and finds it by our search attributes: this uses all services and both
 * databases. The workflow is deleted afterwards.
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
      typedSearchAttributes: [
        ...keywords.map((key) => ({ key, value: id })),
        ...[onHold, openCase].map((key) => ({ key, value: false })),
      ],
    });
    const { taskToken } = await workflowService.pollWorkflowTaskQueue({
      namespace,
      taskQueue: { name: id },
      identity,
    });
    if (taskToken.length === 0) throw new Error('a started workflow got no task');
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
