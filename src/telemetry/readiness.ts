/** The readiness checks of an API process. */
import type { Client } from '@temporalio/client';
import type { ReadinessCheck } from '../api/health';
import type { Database } from '../store/database';
import { misfitOf, migrationStateOf } from '../store/migrating/migration-state';
import { isSame, readTaskQueue, taskQueueKinds, unversioned } from '../process/task-queue';
import type { DeploymentAddress } from '../worker/versions/server-view';

/** A poller polls again within a minute. This query costs Temporal more than the others do. */
const mannedKnownMs = 15_000;

export interface ReadinessOptions {
  db: Database;
  client: Client;
  temporalNamespace: string;
  /** Undefined if workers have no versions. */
  versions: DeploymentAddress | undefined;
  /** Aborts when the process shuts down and accepts no new connections. */
  ending: AbortSignal;
}

/** The checks that need only the database. */
export function databaseChecks(db: Database, ending: AbortSignal): ReadinessCheck[] {
  return [
    {
      name: 'serving',
      check() {
        return ending.aborted ? Promise.reject(new Error('the process is shutting down')) : Promise.resolve();
      },
    },
    {
      name: 'database',
      async check() {
        await db.raw('SELECT 1');
      },
    },
    {
      name: 'schema',
      async check() {
        const misfit = misfitOf(await migrationStateOf(db));
        if (misfit !== undefined) throw new Error(misfit);
      },
    },
  ];
}

export function readinessChecks(options: ReadinessOptions): ReadinessCheck[] {
  const { client, temporalNamespace: namespace, versions } = options;
  return [
    ...databaseChecks(options.db, options.ending),
    {
      name: 'temporal',
      callbacksGoOn: true,
      async check() {
        await client.workflowService.describeNamespace({ namespace });
      },
    },
    ...(versions
      ? [{ name: 'worker version', callbacksGoOn: true as const, check: receiversRun(versions) }]
      : []),
  ];
}

/**
 * Checks that workers of the receiving version run. A ramping version without workers raises an alert only, because the
 * current version still works. Without workers of the current version, new workflows wait, even if workers of other
 * versions run.
 */
function receiversRun(place: DeploymentAddress): () => Promise<void> {
  const { client, namespace: temporalNamespace, taskQueue } = place;
  let knownAtMs: number | undefined;
  return async () => {
    if (knownAtMs !== undefined && performance.now() - knownAtMs < mannedKnownMs) return;
    for (const kind of taskQueueKinds) {
      const { receivers, seen } = await readTaskQueue(client, { temporalNamespace, taskQueue }, kind);
      // The current version, or a ramping one that gets everything.
      const [first = unversioned] = receivers;
      if (seen.some((one) => isSame(one, first))) continue;
      throw new Error(
        first === unversioned
          ? `no version of the workers of ${place.deployment.name} is current`
          : `no worker runs of the version that receives ${kind} tasks: ${first.buildId}`,
      );
    }
    knownAtMs = performance.now();
  };
}
