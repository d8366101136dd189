import { jobsOf } from '../../../src/worker/prune/prune';
import type { Database } from '../../../src/store/database';

/** Deletes only old events. */
export function createPrune(db: Database) {
  const job = jobsOf({ bodiesKeptDays: 365 }).find(({ what }) => what === 'events');
  if (!job) throw new Error('nothing prunes events');
  return {
    count: () => job.count(db),
    prune: async () => (await job.takeSome(db)).taken,
  };
}
