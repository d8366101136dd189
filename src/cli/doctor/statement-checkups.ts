import { attention, ok, fault } from '../../domain/diagnosis';
import { formatAmount } from '../../domain/money';
import { differenceOf, listWallets } from '../../floats/opening-adjustment';
import { findFetches, sumUnexplained } from '../../reconciliation/fetch-log';
import type { FloatWalletRow } from '../../store/tables';
import { ageText, count as countOf } from '../table';
import type { Checkup } from './checkup';

/** Statements are fetched each night. */
const lateMs = 2 * 86_400_000;

/** Checks that statements are fetched, and that all of their lines are explained. */
export const statementCheckups: Checkup[] = [
  {
    name: 'statements',
    async examine({ db }) {
      const fetches = await findFetches(db);
      if (fetches.length === 0) return ok('No worker has fetched a statement yet.');
      const complaints = fetches.flatMap(({ rail, succeeded_at: last, failures, failure }) => {
        const ageMs = last ? Date.now() - last.getTime() : Infinity;
        if (failures === 0 && ageMs < lateMs) return [];
        const since = last ? `fetched ${ageText(ageMs)} ago` : 'never fetched';
        const why =
          failures === 0
            ? 'is a worker running, or is MALIPO_STATEMENTS_AT off?'
            : `${String(failures)} failures, ${failure ?? ''}`;
        return [`${rail} (${since}; ${why})`];
      });
      if (complaints.length > 0)
        return attention(`Missing statements: ${complaints.join(', ')}. See malipo reconcile.`);
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
      if (counts.size === 0) return ok('Every line of the stored statements is explained.');
      const each = [...counts].map(([provider, n]) => `${provider} ${String(n)}`).join(', ');
      return attention(`Unexplained lines and payments: ${each}; see malipo reconcile.`);
    },
  },
];

/** Providers are queried every ten minutes; PayPal may not answer some of the queries. */
const unreportedMaxMs = 3_600_000;

/** Checks that the balances at the providers match our books. */
export const floatCheckups: Checkup[] = [
  {
    name: 'float check',
    async examine({ db }) {
      const wallets = await listWallets(db);
      if (wallets.length === 0) return ok('No provider has reported a balance yet.');
      const [short, over] = (['short', 'over'] as const).map((verdict) =>
        wallets.filter((wallet) => wallet.verdict === verdict),
      );
      const differing = [...(short ?? []), ...(over ?? [])].map(differenceText).join(', ');
      if (short?.length)
        return fault(`Wallets hold less than our books say: ${differing}; see malipo float-check list.`);
      if (differing !== '')
        return attention(`Wallets hold more than our books say: ${differing}; see malipo float-check list.`);
      const oldest = Math.min(...wallets.map(({ reported_at: at }) => at?.getTime() ?? 0));
      const ageMs = Date.now() - oldest;
      if (ageMs < unreportedMaxMs)
        return ok(`The balances of ${countOf(wallets.length, 'wallet')} match our books.`);
      const silent = wallets.filter(
        ({ reported_at: at }) => Date.now() - (at?.getTime() ?? 0) >= unreportedMaxMs,
      );
      return attention(
        `No balance of ${silent.map(nameOf).join(', ')} was reported for ${ageText(ageMs)}: is a worker running? See malipo float-check run.`,
      );
    },
  },
];

const nameOf = ({ provider, country, currency }: FloatWalletRow) =>
  [provider, country, currency].filter(Boolean).join(' ');

function differenceText(wallet: FloatWalletRow): string {
  return `${nameOf(wallet)} ${formatAmount(differenceOf(wallet), wallet.currency)}`;
}
