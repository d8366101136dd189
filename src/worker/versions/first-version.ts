/**
 * The first version of a deployment becomes current by itself, since nothing begins while none is. That is safe just
 * once: until any version was ever current none had a task, so no workflow is of another one, and what workers without
 * versions began goes on with this one as it would after any restart. From then on only an operator says which is. So it
 * is where another deployment does the work of the task queue: the name of the deployment was changed.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { isGrpcServiceError } from '@temporalio/client';
import type { Log } from '../../domain/log';
import { readTaskQueue, unversioned } from '../../process/task-queue';
import { viewDeployment, type Place, type DeploymentView } from './server-view';
import type { WorkerVersion } from './settings';

const againMs = 500;
const againAfterFailureMs = 5_000;
/** gRPC: somebody else was faster, or its pollers are not known everywhere yet. */
const tooSoon: ReadonlySet<number> = new Set([5, 9, 10]);

interface FirstVersion {
  stop(): Promise<void>;
}

/** Does not keep the worker from its start, and asks until any version is current or was. */
export function makeFirstCurrent(place: Place & { deployment: WorkerVersion }, log: Log): FirstVersion {
  const stopping = new AbortController();
  const { signal } = stopping;
  const { client, namespace: temporalNamespace, taskQueue } = place;
  const { name, buildId } = place.deployment;

  async function untilSet(): Promise<void> {
    while (!signal.aborted) {
      const isSet = await setOnce().catch((error: unknown) => {
        if (isGrpcServiceError(error) && tooSoon.has(error.code)) return false;
        log.warn('it could not be seen which version of the workers is current; it is tried again', {
          error,
        });
        return delay(againAfterFailureMs, false, { signal }).catch(() => false);
      });
      if (isSet) return;
      await delay(againMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async function setOnce(): Promise<boolean> {
    const view = await viewDeployment(place);
    if (!view) return false;
    if (view.wasEverSet) {
      if (view.currentBuildId !== buildId)
        log.info('another version of the workers is current', {
          deployment: name,
          current: view.currentBuildId,
        });
      return true;
    }
    const own = view.versions.find((version) => version.buildId === buildId);
    if (!own || own.pollers.workflows === 0 || own.pollers.activities === 0) return false;
    const { receivers } = await readTaskQueue(client, { temporalNamespace, taskQueue }, 'workflow');
    const other = receivers.find((one) => one !== unversioned && one.deployment !== name);
    if (other !== undefined && other !== unversioned) {
      log.warn('another deployment does the work of this task queue: malipo deploy promote changes that', {
        deployment: other.deployment,
        current: other.buildId,
      });
      return true;
    }
    await changeRouting(place, view, { current: buildId, by: 'its first worker' });
    log.info('this is the first version of the workers, and current', { deployment: name, build: buildId });
    return true;
  }

  const setting = untilSet();
  return {
    stop() {
      stopping.abort();
      return setting;
    },
  };
}

// Which version gets what. Each change is made on what was seen before: where another came first, nothing is changed.

export type Change = { by: string } &
  /** Undefined: workers without a version do all. */
  (
    | { current: string | undefined }
    /** At 0 percent nothing ramps any more. */
    | { ramping: string; percent: number }
  );

/** @throws an error of gRPC, code 9, where the routing is not what was seen, or somebody else's to change. */
export async function changeRouting(
  { client, namespace, deployment }: Place,
  { conflictToken }: Pick<DeploymentView, 'conflictToken'>,
  change: Change,
): Promise<void> {
  const on = { namespace, deploymentName: deployment.name, conflictToken, identity: `malipo: ${change.by}` };
  if ('current' in change) {
    await client.workflowService.setWorkerDeploymentCurrentVersion({ ...on, buildId: change.current ?? '' });
    return;
  }
  const { ramping, percent: percentage } = change;
  await client.workflowService.setWorkerDeploymentRampingVersion({
    ...on,
    buildId: percentage === 0 ? '' : ramping,
    percentage,
  });
}
