/**
 * The account's wallets, one for each settlement currency: they contain the collections. Nothing is paid out of them
 * here, and charges are billed separately.
 */
import type { CallResponse } from '../../calls';
import type { Books } from '../../books';
import type { Journal } from '../../journal';
import { openReportedBalances, type ReportedBalances } from '../../reported-balances';
import { nairobiTime } from './identifiers';

const FIRST = ['KES', 'UGX', 'TZS'];

export interface Wallets {
  list(): CallResponse;
  keep(currencies: string[]): void;
  lie(currency: string, fields: Parameters<ReportedBalances['lie']>[1]): void;
}

export function openWallets(journal: Journal, books: Books): Wallets {
  const reported = openReportedBalances(journal, 'xb');
  const kept = journal.collection<string[]>('xb.wallets');
  return {
    list() {
      const nets = books.nets('xb');
      const balanceOf = (currency: string) => reported.of(currency, nets.get(currency) ?? 0n);
      const results = (kept.get('currencies') ?? FIRST).map((currency) => ({
        wallet_id: `SB${currency}1`,
        label: 'default',
        can_disburse: false,
        currency,
        wallet_type: 'SETTLEMENT',
        current_balance: balanceOf(currency),
        available_balance: balanceOf(currency),
        updated_at: nairobiTime(0),
      }));
      return { status: 200, json: { count: results.length, next: null, previous: null, results } };
    },
    keep: (currencies) => {
      kept.put('currencies', currencies);
    },
    lie: (currency, fields) => {
      reported.lie(currency, fields);
    },
  };
}
