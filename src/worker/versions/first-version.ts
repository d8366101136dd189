/**
 * The first version of a deployment becomes current by itself, because no workflow starts without a current version.
 * This is safe only once: before, no version had a task, so no workflow belongs to another version. Workflows of
 * workers without versions continue on this one, as after any restart. Later only an operator chooses the version. The
 * same holds if another deployment serves the task queue, because the deployment's name was changed.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { isGrpcServiceError } from '@temporalio/client';
import type { Log } from '../../domain/log';
import { readTaskQueue, unversioned } from '../../process/task-queue';
import { viewDeployment, type DeploymentAddress, type DeploymentView } from './server-view';
import type { WorkerVersion } from './settings';

const againMs = 500;
const againAfterFailureMs = 5_000;
/** gRPC codes: another worker was faster, or its pollers are not known everywhere yet. */
const tooSoon: ReadonlySet<number> = new Set([5, 9, 10]);

interface FirstVersion {
  stop(): Promise<void>;
}

/** Does not delay the worker's start. It tries until any version is or was current. */
export function makeFirstCurrent(
  place: DeploymentAddress & { deployment: WorkerVersion },
  log: Log,
): FirstVersion {
  const stopping = new AbortController();
  const { signal } = stopping;
  const { client, namespace: temporalNamespace, taskQueue } = place;
  const { name, buildId } = place.deployment;

  async function untilSet(): Promise<void> {
    while (!signal.aborted) {
      const isSet = await setOnce().catch((error: unknown) => {
        if (isGrpcServiceError(error) && tooSoon.has(error.code)) return false;
        log.warn('the current version of the workers could not be read; the worker tries again', {
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
      log.warn('another deployment serves this task queue: malipo deploy promote changes that', {
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

// Which version gets tasks. Each change is based on the routing that was read: after a concurrent change, nothing is
// changed.

export type Change = { by: string } &
  /** Undefined: workers without a version get all tasks. */
  (
    | { current: string | undefined }
    /** At 0 percent nothing ramps any more. */
    | { ramping: string; percent: number }
  );

/** @throws a gRPC error, code 9, if the routing has changed meanwhile, or another identity manages it. */
export async function changeRouting(
  { client, namespace, deployment }: DeploymentAddress,
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
