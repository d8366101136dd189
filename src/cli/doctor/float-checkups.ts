import { attention, fault, ok } from '../../domain/diagnosis';
import { formatAmount } from '../../domain/money';
import { differenceOf, listWallets } from '../../floats/baseline';
import type { FloatWalletRow } from '../../store/tables';
import { ageText } from '../wall-clock';
import type { Checkup } from './checkup';

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
