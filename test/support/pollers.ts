/** Workers as Temporal sees them: they poll a task queue, and do no work. */
import type { Client } from '@temporalio/client';
import { waitFor } from '../../tools/sandbox/services/wait-for';
import {
  isSame,
  readTaskQueue,
  taskQueueKinds,
  unversioned,
  type VersionName,
} from '../../src/process/task-queue';

type WorkflowPoll = Parameters<Client['workflowService']['pollWorkflowTaskQueue']>[0];
type ActivityPoll = Parameters<Client['workflowService']['pollActivityTaskQueue']>[0];

/** The number of WORKER_VERSIONING_MODE_VERSIONED. */
const versioned = 2;

export interface Polling {
  stop(): Promise<void>;
}

/** Polls for both kinds of tasks once, for a minute. Resolves once Temporal lists the poller. */
export async function startPoller(
  client: Client,
  taskQueue: string,
  version?: VersionName,
): Promise<Polling> {
  const stopping = new AbortController();
  const request = {
    namespace: 'default',
    taskQueue: { name: taskQueue },
    identity: version?.buildId ?? unversioned,
    ...(version && {
      deploymentOptions: {
        deploymentName: version.deployment,
        buildId: version.buildId,
        workerVersioningMode: versioned,
      },
    }),
  };
  const { connection, workflowService } = client;
  const asking = connection.withDeadline(Date.now() + 90_000, () =>
    connection.withAbortSignal(stopping.signal, () =>
      Promise.allSettled([
        workflowService.pollWorkflowTaskQueue(request as WorkflowPoll),
        workflowService.pollActivityTaskQueue(request as ActivityPoll),
      ]),
    ),
  );
  for (const kind of taskQueueKinds) {
    await waitFor(
      async () => {
        const { seen } = await readTaskQueue(client, { temporalNamespace: 'default', taskQueue }, kind);
        return seen.some((one) => isSame(one, version ?? unversioned)) || undefined;
      },
      { what: 'Temporal to list the poller', timeoutMs: 60_000 },
    );
  }
  return {
    async stop() {
      stopping.abort();
      await asking;
    },
  };
}
