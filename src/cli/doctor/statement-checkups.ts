import { attention, ok } from '../../domain/diagnosis';
import { findFetches } from '../../reconciliation/fetch-log';
import { sumUnexplained } from '../../reconciliation/unexplained';
import { ageText } from '../wall-clock';
import type { Checkup } from './checkup';

/** They are fetched each night. */
const lateMs = 2 * 86_400_000;

/** What the providers' statements say beside our books, and whether they come. */
export const statementCheckups: Checkup[] = [
  {
    name: 'statements',
    async examine({ db }) {
      const fetches = await findFetches(db);
      if (fetches.length === 0) return ok('No statement was fetched by itself yet.');
      const complaints = fetches.flatMap(({ rail, succeeded_at: last, failures, failure }) => {
        const ageMs = last ? Date.now() - last.getTime() : Infinity;
        if (failures === 0 && ageMs < lateMs) return [];
        const since = last ? `fetched ${ageText(ageMs)} ago` : 'never fetched';
        const why =
          failures === 0
            ? 'is a worker running, or MALIPO_STATEMENTS_AT off?'
            : `${String(failures)} failures, ${failure ?? ''}`;
        return [`${rail} (${since}; ${why})`];
      });
      if (complaints.length > 0)
        return attention(`Statements that do not come: ${complaints.join(', ')}. See malipo reconcile.`);
      const names = fetches.map(({ rail }) => rail).join(', ');
      return ok(`The statements of ${names} were fetched in the last two days.`);
    },
  },
  {
    name: 'unexplained money',
    async examine({ db }) {
      const counts = new Map<string, number>();
      for (const { provider, count } of await sumUnexplained(db))
        counts.set(provider, (counts.get(provider) ?? 0) + count);
      if (counts.size === 0) return ok('Every line of the statements that are here is explained.');
      const each = [...counts].map(([provider, n]) => `${provider} ${String(n)}`).join(', ');
      return attention(`Lines and payments that nobody has explained: ${each}; see malipo reconcile.`);
    },
  },
];
