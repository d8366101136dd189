/** The account's wallets, one for each currency that is settled in. Nothing is ever paid out of them here. */
import type { Answer } from '../../calls';
import type { Journal } from '../../journal';
import { nairobiTime } from './identifiers';

const FIRST = ['KES', 'UGX', 'TZS'];

export interface Wallets {
  list(): Answer;
  keep(currencies: string[]): void;
}

export function openWallets(journal: Journal): Wallets {
  const kept = journal.collection<string[]>('xb.wallets');
  return {
    list() {
      const results = (kept.get('currencies') ?? FIRST).map((currency) => ({
        wallet_id: `SB${currency}1`,
        label: 'default',
        can_disburse: false,
        currency,
        wallet_type: 'SETTLEMENT',
        current_balance: '0.00',
        available_balance: '0.00',
        updated_at: nairobiTime(0),
      }));
      return { status: 200, json: { count: results.length, next: null, previous: null, results } };
    },
    keep: (currencies) => {
      kept.put('currencies', currencies);
    },
  };
}
