import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../domain/log';
import { requestsKeptDays } from '../../merchants/request-log';
import type { Database } from '../../store/database';
import { inTransaction } from '../../store/transaction';
import { bodyJobs } from './bodies';
import { batch, countBy, type PruneJob } from './job';
import { endpointJobs, floatCheckJobs, rowJobs } from './old-rows';
import { eventJobs } from './old-events';
import { userJobs } from './users';

/** All data that grows and expires, except what the sweeper deletes. docs/production.md lists it by table. */
export function jobsOf({ bodiesKeptDays }: { bodiesKeptDays: number }): PruneJob[] {
  return [
    ...rowJobs,
    ...bodyJobs(bodiesKeptDays),
    ...eventJobs(bodiesKeptDays),
    ...endpointJobs(bodiesKeptDays),
    ...slotJobs,
    ...floatCheckJobs,
    ...userJobs,
    requestJob,
  ];
}

/** The number of rows of each kind. */
export type Counts = Record<string, number>;

export async function countPrunable(db: Database, recurringJobs: readonly PruneJob[]): Promise<Counts> {
  const counts: Counts = {};
  for (const { what, count } of recurringJobs) counts[what] = await count(db);
  return counts;
}

/** Milliseconds between two batches, so that urgent work gets the database. */
const pauseMs = 20;

/**
 * Deletes old rows, a few in each transaction: after an interruption, the next run continues. At the end it stores its
 * time for `malipo doctor`.
 * @throws if the signal aborts.
 */
export async function prune(
  db: Database,
  recurringJobs: readonly PruneJob[],
  { log, signal }: { log?: Log; signal?: AbortSignal } = {},
): Promise<Counts> {
  const counts: Counts = {};
  for (const { what, takeSome } of recurringJobs) {
    counts[what] = 0;
    for (let isMore = true; isMore;) {
      signal?.throwIfAborted();
      const some = await takeSome(db);
      counts[what] += some.taken;
      isMore = some.isMore;
      if (isMore) await delay(pauseMs);
    }
  }
  await db('prunings')
    .where({ id: 1 })
    .update({ finished_at: db.raw<Date>('UTC_TIMESTAMP(3)') });
  log?.info('expired rows were deleted', { pruned: counts });
  return counts;
}

// The request log of merchants, which is stored for a week.

const old = `FROM api_requests WHERE created_at < UTC_TIMESTAMP(3) - INTERVAL ${String(requestsKeptDays)} DAY`;

export const requestJob: PruneJob = {
  what: 'requests of merchants',
  count: (db) => countBy(db, `SELECT COUNT(*) AS n ${old}`, []),
  async takeSome(db) {
    const statement = `DELETE ${old} ORDER BY created_at LIMIT ${String(batch)}`;
    const [{ affectedRows: taken }] = (await db.raw(statement)) as unknown as [{ affectedRows: number }];
    return { taken, isMore: taken === batch };
  },
};

// Counts of provider notifications show a provider's last weeks. No verdict uses older ones.

const keptDays = 30;

function slotsOf(table: 'notification_counts' | 'notification_denials', what: string): PruneJob {
  const old = `FROM ${table} WHERE slot_at < UTC_TIMESTAMP(3) - INTERVAL ${String(keptDays)} DAY`;
  return {
    what,
    count: (db) => countBy(db, `SELECT COUNT(*) AS n ${old}`, []),
    takeSome: (db) =>
      inTransaction(db, async (trx) => {
        const [{ affectedRows: taken }] = (await trx.raw(
          `DELETE ${old} ORDER BY slot_at LIMIT ${String(batch)}`,
        )) as unknown as [{ affectedRows: number }];
        return { taken, isMore: taken === batch };
      }),
  };
}

const slotJobs: PruneJob[] = [
  slotsOf('notification_counts', 'counts of provider notifications'),
  slotsOf('notification_denials', 'counts of rejected notifications'),
];
