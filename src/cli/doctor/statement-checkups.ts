import { attention, ok, fault } from '../../domain/diagnosis';
import { formatAmount } from '../../domain/money';
import { differenceOf, listWallets } from '../../floats/opening-adjustment';
import { findFetches, sumUnexplained } from '../../reconciliation/fetch-log';
import type { FloatWalletRow } from '../../store/tables';
import { ageText } from '../table';
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

/** They are asked every ten minutes; PayPal may leave a few questions unanswered. */
const untoldMaxMs = 3_600_000;

/** Whether providers keep as much for us as our books say. */
export const floatCheckups: Checkup[] = [
  {
    name: 'float proof',
    async examine({ db }) {
      const wallets = await listWallets(db);
      if (wallets.length === 0) return ok('No provider has told of its wallets yet.');
      const [short, over] = (['short', 'over'] as const).map((verdict) =>
        wallets.filter((wallet) => wallet.verdict === verdict),
      );
      const differing = [...(short ?? []), ...(over ?? [])].map(differenceText).join(', ');
      if (short?.length)
        return fault(`Wallets hold less than our books say: ${differing}; see malipo float-proof list.`);
      if (differing !== '')
        return attention(`Wallets hold more than our books say: ${differing}; see malipo float-proof list.`);
      const oldest = Math.min(...wallets.map(({ told_at: at }) => at?.getTime() ?? 0));
      const ageMs = Date.now() - oldest;
      if (ageMs < untoldMaxMs) return ok(`${String(wallets.length)} wallets hold what our books say.`);
      const silent = wallets.filter(({ told_at: at }) => Date.now() - (at?.getTime() ?? 0) >= untoldMaxMs);
      return attention(
        `What ${silent.map(nameOf).join(', ')} holds was not told for ${ageText(ageMs)}: is a worker running? See malipo float-proof run.`,
      );
    },
  },
];

const nameOf = ({ provider, country, currency }: FloatWalletRow) =>
  [provider, country, currency].filter(Boolean).join(' ');

function differenceText(wallet: FloatWalletRow): string {
  return `${nameOf(wallet)} ${formatAmount(differenceOf(wallet), wallet.currency)}`;
}
