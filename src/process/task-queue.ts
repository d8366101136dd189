/** Temporal's view of our task queue: its pollers, the versions that receive tasks, and the backlog. */
import type { Client } from '@temporalio/client';
import type { Config } from '../config';

type TaskQueueRequest = Parameters<Client['workflowService']['describeTaskQueue']>[0];
type Described = Awaited<ReturnType<Client['workflowService']['describeTaskQueue']>>;

/** Temporal's numbers for the two kinds of task queue. */
const taskQueueTypes = { workflow: 1, activity: 2 };
export type TaskQueueKind = keyof typeof taskQueueTypes;
export const taskQueueKinds = Object.keys(taskQueueTypes) as TaskQueueKind[];

/** The number of WORKER_VERSIONING_MODE_VERSIONED. */
const versioned = 2;
/** An idle worker polls again at least once a minute. */
const pollerSeenMaxMs = 70_000;

export interface VersionName {
  deployment: string;
  buildId: string;
}

/** Workers that have no version. */
export const unversioned = 'unversioned';
type Receiver = VersionName | typeof unversioned;

export interface TaskQueueState {
  /** The versions that receive new and moved workflows: the current one, and a ramping one. */
  receivers: Receiver[];
  /** Recent pollers that may receive tasks. With two receivers, the smaller number: tasks of that share would wait. */
  pollers: number;
  /** All recent pollers, whether they receive tasks or not. */
  seen: Receiver[];
  /** The approximate number of waiting tasks, without those of a worker's sticky queue. */
  backlog: number;
  /** The age of the oldest of them, in milliseconds. */
  backlogAgeMs: number;
}

export type TaskQueue = Pick<Config, 'temporalNamespace' | 'taskQueue'>;

export async function readTaskQueue(
  client: Client,
  { temporalNamespace: namespace, taskQueue: name }: TaskQueue,
  kind: TaskQueueKind,
): Promise<TaskQueueState> {
  const request: unknown = {
    namespace,
    taskQueue: { name },
    taskQueueType: taskQueueTypes[kind],
    reportStats: true,
  };
  const described = await client.workflowService.describeTaskQueue(request as TaskQueueRequest);
  const { approximateBacklogCount: backlog, approximateBacklogAge: age } = described.stats ?? {};
  const receivers = receiversOf(described.versioningInfo);
  const seen = seenIn(described.pollers);
  const ofEach = receivers.map((receiver) => seen.filter((one) => isSame(one, receiver)).length);
  return {
    receivers,
    pollers: Math.min(...ofEach),
    seen,
    backlog: Number(backlog ?? 0),
    backlogAgeMs: msOf(age),
  };
}

/** The server returns no version for workers without versions. */
function receiversOf(info: Described['versioningInfo']): Receiver[] {
  const { currentDeploymentVersion: current, rampingDeploymentVersion: ramping } = info ?? {};
  const percent = ramping ? (info?.rampingVersionPercentage ?? 0) : 0;
  return [...(percent < 100 ? [nameOf(current)] : []), ...(percent > 0 ? [nameOf(ramping)] : [])];
}

type Named = Partial<Record<'deploymentName' | 'buildId', string | null>>;

function nameOf(version: Named | null | undefined): Receiver {
  if (!version?.buildId) return unversioned;
  return { deployment: version.deploymentName ?? '', buildId: version.buildId };
}

function seenIn(pollers: Described['pollers']): Receiver[] {
  return pollers
    .filter(({ lastAccessTime }) => Date.now() - msOf(lastAccessTime) < pollerSeenMaxMs)
    .map(({ deploymentOptions: options }) =>
      (options?.workerVersioningMode as number | undefined) === versioned ? nameOf(options) : unversioned,
    );
}

export function isSame(one: Receiver, other: Receiver): boolean {
  if (one === unversioned || other === unversioned) return one === other;
  return one.deployment === other.deployment && one.buildId === other.buildId;
}

function msOf(time: { seconds?: unknown; nanos?: number | null } | null | undefined): number {
  return Number(time?.seconds ?? 0) * 1_000 + (time?.nanos ?? 0) / 1e6;
}
