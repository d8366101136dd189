/** What Temporal knows of a deployment's versions: which of them gets what, who runs it, and what is open under it. */
import { isGrpcServiceError, type Client } from '@temporalio/client';
import { isSame, readTaskQueue, unversioned, type TaskQueueState } from '../../process/task-queue';
import type { Deployment } from './settings';

/** gRPC: no worker of this deployment has ever asked for work. */
const notFound = 5;

export type Standing = 'current' | 'ramping' | 'draining' | 'drained' | 'inactive';

export interface Version {
  buildId: string;
  standing: Standing;
  /** Of what begins, and of what moves, how much it gets: 100 for all. */
  percent: number;
  /** Since when it stands so; undefined where that was never. */
  since: Date | undefined;
  /** Workers that ask for workflow tasks, and for activities. */
  pollers: { workflows: number; activities: number };
  /** Open workflows whose last task it did, and those of them that it has to end as well. */
  open: number;
  staying: number;
}

export interface DeploymentView {
  currentBuildId: string | undefined;
  ramping: { buildId: string; percent: number } | undefined;
  /** False until somebody has ever said which version is current. */
  wasEverSet: boolean;
  /** Newest first. */
  versions: Version[];
  /** Workers of the same queue that have no version. */
  unversionedPollers: number;
  /** What a change is made on: the server refuses it when another one came first. */
  conflictToken: Uint8Array;
}

export interface Place {
  client: Client;
  namespace: string;
  taskQueue: string;
  deployment: Deployment;
}

type Described = Awaited<ReturnType<Client['workflowService']['describeWorkerDeployment']>>;
type Info = NonNullable<Described['workerDeploymentInfo']>;
type Summary = NonNullable<Info['versionSummaries']>[number];
type Moment = { seconds?: unknown } | null | undefined;

/** @returns undefined where no worker of it was ever seen. */
export async function viewDeployment(place: Place): Promise<DeploymentView | undefined> {
  const described = await describe(place);
  const info = described?.workerDeploymentInfo;
  if (!described || !info) return undefined;
  const { routingConfig: routing } = info;
  const { current, ramping } = routingOf(info);
  const pollers = await pollersOf(place);
  const summaries = info.versionSummaries ?? [];
  const versions = await Promise.all(summaries.map((summary) => versionOf(place, summary, info, pollers)));
  versions.sort((a, b) => createdMs(info, b.buildId) - createdMs(info, a.buildId));
  return {
    currentBuildId: current,
    ramping,
    wasEverSet: Boolean(routing?.currentVersionChangedTime ?? routing?.rampingVersionChangedTime),
    versions,
    unversionedPollers: pollers.workflows.seen.filter((one) => !isOfDeployment(place, one)).length,
    conflictToken: described.conflictToken,
  };
}

type Seen = TaskQueueState['seen'][number];

interface Pollers {
  workflows: TaskQueueState;
  activities: TaskQueueState;
}

async function pollersOf({ client, namespace: temporalNamespace, taskQueue }: Place): Promise<Pollers> {
  const [workflows, activities] = await Promise.all([
    readTaskQueue(client, { temporalNamespace, taskQueue }, 'workflow'),
    readTaskQueue(client, { temporalNamespace, taskQueue }, 'activity'),
  ]);
  return { workflows, activities };
}

/** Workers of another deployment count as those that have no version. */
const isOfDeployment = ({ deployment }: Place, one: Seen) =>
  one !== unversioned && one.deployment === deployment.name;

async function describe({ client, namespace, deployment }: Place): Promise<Described | undefined> {
  try {
    return await client.workflowService.describeWorkerDeployment({
      namespace,
      deploymentName: deployment.name,
    });
  } catch (error) {
    if (isGrpcServiceError(error) && (error.code as number) === notFound) return undefined;
    throw error;
  }
}

function routingOf(info: Described['workerDeploymentInfo']): {
  current: string | undefined;
  ramping: DeploymentView['ramping'];
} {
  const { currentDeploymentVersion, rampingDeploymentVersion, rampingVersionPercentage } =
    info?.routingConfig ?? {};
  const rampingBuild = rampingDeploymentVersion?.buildId;
  return {
    current: orNothing(currentDeploymentVersion?.buildId),
    ramping: rampingBuild ? { buildId: rampingBuild, percent: rampingVersionPercentage ?? 0 } : undefined,
  };
}

async function versionOf(place: Place, summary: Summary, info: Info, pollers: Pollers): Promise<Version> {
  const buildId = buildOf(summary);
  const { current, ramping } = routingOf(info);
  const standing = standingOf(summary, { current, ramping: ramping?.buildId });
  const rest = 100 - (ramping?.percent ?? 0);
  const { name } = place.deployment;
  const own = { deployment: name, buildId };
  const by = (asking: TaskQueueState) => asking.seen.filter((one) => isSame(one, own)).length;
  const mine = `TaskQueue = '${place.taskQueue}' AND ExecutionStatus = 'Running' AND TemporalWorkerDeploymentVersion = '${name}:${buildId}'`;
  const count = async (query: string) => (await place.client.workflow.count(query)).count;
  const [open, staying] = await Promise.all([
    count(mine),
    count(`${mine} AND TemporalWorkflowVersioningBehavior = 'Pinned'`),
  ]);
  return {
    buildId,
    standing,
    percent: standing === 'current' ? rest : standing === 'ramping' ? (ramping?.percent ?? 0) : 0,
    since: dateOf(
      standing === 'current'
        ? summary.currentSinceTime
        : standing === 'ramping'
          ? summary.rampingSinceTime
          : (summary.lastDeactivationTime ?? summary.createTime),
    ),
    pollers: { workflows: by(pollers.workflows), activities: by(pollers.activities) },
    open,
    staying,
  };
}

/** The number of VERSION_DRAINAGE_STATUS_DRAINED. */
const drained = 2;

function standingOf(
  summary: Summary,
  { current, ramping }: { current: string | undefined; ramping: string | undefined },
): Standing {
  const buildId = buildOf(summary);
  if (buildId === current) return 'current';
  if (buildId === ramping) return 'ramping';
  const status = summary.drainageInfo?.status;
  if (!status) return 'inactive';
  return (status as number) === drained ? 'drained' : 'draining';
}

const buildOf = ({ deploymentVersion }: Summary): string => deploymentVersion?.buildId ?? '';

function createdMs({ versionSummaries }: Info, buildId: string): number {
  const summary = versionSummaries?.find((one) => buildOf(one) === buildId);
  return dateOf(summary?.createTime)?.getTime() ?? 0;
}

function dateOf(moment: Moment): Date | undefined {
  return moment?.seconds ? new Date(Number(moment.seconds) * 1_000) : undefined;
}

function orNothing(text: string | null | undefined): string | undefined {
  return text === '' ? undefined : (text ?? undefined);
}
