/** What an API process needs before it can take a payment. */
import type { Client } from '@temporalio/client';
import type { ReadinessCheck } from '../api/health';
import type { Database } from '../store/database';
import { misfitOf, standingOf } from '../store/migrating/standing';
import { isSame, readTaskQueue, taskQueueKinds, unversioned } from '../process/task-queue';
import type { Place } from '../worker/versions/server-view';

/** Who has asked for work does so again within a minute; the questions cost Temporal more than the others do. */
const mannedKnownMs = 15_000;

export interface ReadinessOptions {
  db: Database;
  client: Client;
  temporalNamespace: string;
  /** Undefined where workers have no versions. */
  versions: Place | undefined;
  /** Aborts when the process is told to end, and takes no new connections. */
  ending: AbortSignal;
}

/** What a process needs that asks the database alone. */
export function databaseChecks(db: Database, ending: AbortSignal): ReadinessCheck[] {
  return [
    {
      name: 'serving',
      check() {
        return ending.aborted ? Promise.reject(new Error('the process is stopping')) : Promise.resolve();
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
        const misfit = misfitOf(await standingOf(db));
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
 * One that ramps and has no workers is for an alert: what goes to the current version goes on. Without a worker of that, what
 * is begun waits for one, though workers of other versions run.
 */
function receiversRun(place: Place): () => Promise<void> {
  const { client, namespace: temporalNamespace, taskQueue } = place;
  let knownAtMs: number | undefined;
  return async () => {
    if (knownAtMs !== undefined && performance.now() - knownAtMs < mannedKnownMs) return;
    for (const kind of taskQueueKinds) {
      const { receivers, seen } = await readTaskQueue(client, { temporalNamespace, taskQueue }, kind);
      // The current version, unless one that ramps gets all.
      const [first = unversioned] = receivers;
      if (seen.some((one) => isSame(one, first))) continue;
      throw new Error(
        first === unversioned
          ? `no version of the workers of ${place.deployment.name} is current`
          : `no worker runs of a version that is given ${kind} tasks: ${first.buildId}`,
      );
    }
    knownAtMs = performance.now();
  };
}
