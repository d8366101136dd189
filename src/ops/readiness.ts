/** What an API process needs before it can take a payment. */
import type { Client } from '@temporalio/client';
import type { ReadinessCheck } from '../http/health';
import type { Database } from '../store/database';
import { misfitOf, standingOf } from '../store/migrating/standing';
import { findCurrentBuild, type Place } from './versions/server-view';

/** A version that was current is so until another one is; the question costs Temporal more than the others do. */
const currentKnownMs = 15_000;

export interface ReadinessOptions {
  db: Database;
  client: Client;
  temporalNamespace: string;
  /** Undefined where workers have no versions. */
  versions: Place | undefined;
  /** True once the process was told to end and takes no new connections. */
  isStopping(): boolean;
}

export function readinessChecks(options: ReadinessOptions): ReadinessCheck[] {
  const { db, client, temporalNamespace: namespace, versions } = options;
  return [
    {
      name: 'serving',
      check() {
        return options.isStopping()
          ? Promise.reject(new Error('the process is stopping'))
          : Promise.resolve();
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
    {
      name: 'temporal',
      callbacksGoOn: true,
      async check() {
        await client.workflowService.describeNamespace({ namespace });
      },
    },
    ...(versions
      ? [{ name: 'worker version', callbacksGoOn: true as const, check: anyVersionCurrent(versions) }]
      : []),
  ];
}

/** Without one, what is begun waits for it. */
function anyVersionCurrent(place: Place): () => Promise<void> {
  let knownAtMs: number | undefined;
  return async () => {
    if (knownAtMs !== undefined && performance.now() - knownAtMs < currentKnownMs) return;
    if ((await findCurrentBuild(place)) === undefined)
      throw new Error(`no version of the workers of ${place.deployment.name} is current`);
    knownAtMs = performance.now();
  };
}
