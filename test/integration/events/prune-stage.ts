import { choresOf } from '../../../src/worker/prune/prune';
import type { Database } from '../../../src/store/database';

/** What prunes events alone. */
export function createPrune(db: Database) {
  const chore = choresOf({ bodiesKeptDays: 365 }).find(({ what }) => what === 'events');
  if (!chore) throw new Error('nothing prunes events');
  return {
    count: () => chore.count(db),
    prune: async () => (await chore.takeSome(db)).taken,
  };
}
