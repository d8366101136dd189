/** What Temporal knows of our task queue: who takes work from it, and what waits there. */
import type { Client } from '@temporalio/client';
import type { Config } from '../config';

type TaskQueueRequest = Parameters<Client['workflowService']['describeTaskQueue']>[0];

/** Temporal's numbers for the two kinds of task queue. */
const taskQueueTypes = { workflow: 1, activity: 2 };
export type TaskQueueKind = keyof typeof taskQueueTypes;
export const taskQueueKinds = Object.keys(taskQueueTypes) as TaskQueueKind[];

/** The number of WORKER_VERSIONING_MODE_VERSIONED. */
const versioned = 2;
/** A worker that waits for work asks again at least once a minute. */
const pollerSeenMaxMs = 120_000;

export interface TaskQueueStanding {
  /** Who has asked for work lately. */
  pollers: number;
  /** Of those who have one, the version: once for each. */
  versions: { deployment: string; buildId: string }[];
  /** Tasks that wait, about; what waits for one worker's cache is not among them. */
  backlog: number;
  /** How long the oldest of them has been waiting, in milliseconds. */
  backlogAgeMs: number;
}

export async function lookAtTaskQueue(
  client: Client,
  { temporalNamespace: namespace, taskQueue: name }: Pick<Config, 'temporalNamespace' | 'taskQueue'>,
  kind: TaskQueueKind,
): Promise<TaskQueueStanding> {
  const request: unknown = {
    namespace,
    taskQueue: { name },
    taskQueueType: taskQueueTypes[kind],
    reportStats: true,
  };
  const { pollers, stats } = await client.workflowService.describeTaskQueue(request as TaskQueueRequest);
  const { approximateBacklogCount: backlog, approximateBacklogAge: age } = stats ?? {};
  const seen = pollers.filter(({ lastAccessTime }) => Date.now() - msOf(lastAccessTime) < pollerSeenMaxMs);
  return {
    pollers: seen.length,
    versions: seen.flatMap(({ deploymentOptions: options }) =>
      (options?.workerVersioningMode as number | undefined) === versioned
        ? [{ deployment: options?.deploymentName ?? '', buildId: options?.buildId ?? '' }]
        : [],
    ),
    backlog: Number(backlog ?? 0),
    backlogAgeMs: msOf(age),
  };
}

function msOf(time: { seconds?: unknown; nanos?: number | null } | null | undefined): number {
  return Number(time?.seconds ?? 0) * 1_000 + (time?.nanos ?? 0) / 1e6;
}
