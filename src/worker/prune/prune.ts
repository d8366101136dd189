import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../domain/log';
import { requestsKeptDays } from '../../merchants/request-log';
import type { Database } from '../../store/database';
import { inTransaction } from '../../store/transaction';
import { bodyChores } from './bodies';
import { batch, countBy, type Chore } from './job';
import { endpointChores, proofChores, rowChores } from './old-rows';
import { eventChores } from './old-events';
import { peopleChores } from './people';

/** Everything that grows and has an end, save what is swept all the time: docs/production.md lists it by table. */
export function choresOf({ bodiesKeptDays }: { bodiesKeptDays: number }): Chore[] {
  return [
    ...rowChores,
    ...bodyChores(bodiesKeptDays),
    ...eventChores(bodiesKeptDays),
    ...endpointChores(bodiesKeptDays),
    ...slotChores,
    ...proofChores,
    ...peopleChores,
    requestChore,
  ];
}

/** How many of each. */
export type Counts = Record<string, number>;

export async function countPrunable(db: Database, chores: readonly Chore[]): Promise<Counts> {
  const counts: Counts = {};
  for (const { what, count } of chores) counts[what] = await count(db);
  return counts;
}

/** Milliseconds between two batches: who has more urgent work gets its turn. */
const pauseMs = 20;

/**
 * Takes away what is old, a few rows in each transaction: whenever it is stopped, the next run goes on from there. At the
 * end it writes down that it was there, so that `malipo doctor` can tell.
 * @throws where the signal aborts.
 */
export async function prune(
  db: Database,
  chores: readonly Chore[],
  { log, signal }: { log?: Log; signal?: AbortSignal } = {},
): Promise<Counts> {
  const counts: Counts = {};
  for (const { what, takeSome } of chores) {
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
  log?.info('what was old enough is pruned', { pruned: counts });
  return counts;
}

// What merchants asked of the API, which is kept for a week.

const old = `FROM api_requests WHERE created_at < UTC_TIMESTAMP(3) - INTERVAL ${String(requestsKeptDays)} DAY`;

export const requestChore: Chore = {
  what: 'requests of merchants',
  count: (db) => countBy(db, `SELECT COUNT(*) AS n ${old}`, []),
  async takeSome(db) {
    const statement = `DELETE ${old} ORDER BY created_at LIMIT ${String(batch)}`;
    const [{ affectedRows: taken }] = (await db.raw(statement)) as unknown as [{ affectedRows: number }];
    return { taken, isMore: taken === batch };
  },
};

// What was counted of callbacks: it tells of a provider's last weeks, and nothing is judged by older ones.

const keptDays = 30;

function slotsOf(table: 'callback_counts' | 'callback_refusals', what: string): Chore {
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

const slotChores: Chore[] = [
  slotsOf('callback_counts', 'counts of callbacks'),
  slotsOf('callback_refusals', 'counts of refused callbacks'),
];
