/** What Temporal knows of our task queue: who takes work from it, and what waits there. */
import type { Client } from '@temporalio/client';
import type { Config } from '../config';

type TaskQueueRequest = Parameters<Client['workflowService']['describeTaskQueue']>[0];

/** Temporal's numbers for the two kinds of task queue. */
const taskQueueTypes = { workflow: 1, activity: 2 };
export type TaskQueueKind = keyof typeof taskQueueTypes;
export const taskQueueKinds = Object.keys(taskQueueTypes) as TaskQueueKind[];

/** A worker that waits for work asks again at least once a minute. */
const pollerSeenMaxMs = 120_000;

export interface TaskQueueStanding {
  /** Who has asked for work lately. */
  pollers: number;
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
  return {
    pollers: pollers.filter(({ lastAccessTime }) => Date.now() - msOf(lastAccessTime) < pollerSeenMaxMs)
      .length,
    backlog: Number(backlog ?? 0),
    backlogAgeMs: msOf(age),
  };
}

function msOf(time: { seconds?: unknown; nanos?: number | null } | null | undefined): number {
  return Number(time?.seconds ?? 0) * 1_000 + (time?.nanos ?? 0) / 1e6;
}
