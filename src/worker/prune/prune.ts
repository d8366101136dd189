import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../domain/log';
import type { Database } from '../../store/database';
import { bodyChores } from './bodies';
import { slotChores } from './callback-slots';
import type { Chore } from './chore';
import { endpointChores } from './endpoint-deliveries';
import { eventChores } from './old-events';
import { proofChores, rowChores } from './old-rows';
import { peopleChores } from './people';
import { requestChore } from './requests';

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
