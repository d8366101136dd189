/** Temporal's view of a deployment's versions: their share of tasks, their workers, and their open workflows. */
import { isGrpcServiceError, type Client } from '@temporalio/client';
import { isSame, readTaskQueue, unversioned, type TaskQueueState } from '../../process/task-queue';
import type { Deployment } from './settings';

/** gRPC: no worker of this deployment has ever polled. */
const notFound = 5;

export type VersionStatus = 'current' | 'ramping' | 'draining' | 'drained' | 'inactive';

export interface Version {
  buildId: string;
  standing: VersionStatus;
  /** The share of new and moved workflows: 100 for all. */
  percent: number;
  /** Since when; undefined for never. */
  since: Date | undefined;
  /** Workers that poll for workflow tasks, and for activities. */
  pollers: { workflows: number; activities: number };
  /** Open workflows whose last task it completed, and those pinned to it. */
  open: number;
  staying: number;
}

export interface DeploymentView {
  currentBuildId: string | undefined;
  ramping: { buildId: string; percent: number } | undefined;
  /** False until a version was set as current for the first time. */
  wasEverSet: boolean;
  /** Newest first. */
  versions: Version[];
  /** Workers of the same queue without a version. */
  unversionedPollers: number;
  /** The state that a change is based on. The server rejects the change if another came first. */
  conflictToken: Uint8Array;
}

export interface DeploymentAddress {
  client: Client;
  namespace: string;
  taskQueue: string;
  deployment: Deployment;
}

type Described = Awaited<ReturnType<Client['workflowService']['describeWorkerDeployment']>>;
type Info = NonNullable<Described['workerDeploymentInfo']>;
type Summary = NonNullable<Info['versionSummaries']>[number];
type Moment = { seconds?: unknown } | null | undefined;

/** @returns undefined if no worker of the deployment has ever polled. */
export async function viewDeployment(place: DeploymentAddress): Promise<DeploymentView | undefined> {
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

async function pollersOf({
  client,
  namespace: temporalNamespace,
  taskQueue,
}: DeploymentAddress): Promise<Pollers> {
  const [workflows, activities] = await Promise.all([
    readTaskQueue(client, { temporalNamespace, taskQueue }, 'workflow'),
    readTaskQueue(client, { temporalNamespace, taskQueue }, 'activity'),
  ]);
  return { workflows, activities };
}

/** Workers of another deployment count as workers without a version. */
const isOfDeployment = ({ deployment }: DeploymentAddress, one: Seen) =>
  one !== unversioned && one.deployment === deployment.name;

async function describe({
  client,
  namespace,
  deployment,
}: DeploymentAddress): Promise<Described | undefined> {
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

async function versionOf(
  place: DeploymentAddress,
  summary: Summary,
  info: Info,
  pollers: Pollers,
): Promise<Version> {
  const buildId = buildOf(summary);
  const { current, ramping } = routingOf(info);
  const standing = versionStatusOf(summary, { current, ramping: ramping?.buildId });
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

function versionStatusOf(
  summary: Summary,
  { current, ramping }: { current: string | undefined; ramping: string | undefined },
): VersionStatus {
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
