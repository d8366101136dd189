/** What an API process needs before it can take a payment. */
import type { Client } from '@temporalio/client';
import type { ReadinessCheck } from '../http/health';
import type { Database } from '../store/database';
import { misfitOf, standingOf } from '../store/migrating/standing';

export interface ReadinessOptions {
  db: Database;
  client: Client;
  temporalNamespace: string;
  /** True once the process was told to end and takes no new connections. */
  isStopping(): boolean;
}

export function readinessChecks(options: ReadinessOptions): ReadinessCheck[] {
  const { db, client, temporalNamespace: namespace } = options;
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
      async check() {
        await client.workflowService.describeNamespace({ namespace });
      },
    },
  ];
}
