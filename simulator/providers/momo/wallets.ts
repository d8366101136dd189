/** The merchant's money at the provider, per country and currency. Payouts and refunds reserve it at once. */
import { centsOf, decimalOf } from '../../books';
import type { Journal } from '../../journal';
import { openReportedBalances, type ReportedBalances } from '../../reported-balances';
import { countries } from './network/countries';

export interface WalletName {
  country: string;
  currency: string;
}

export interface Wallets {
  /** As the balance call returns them. */
  list(): (WalletName & { balance: string })[];
  lie(wallet: WalletName, fields: Parameters<ReportedBalances['lie']>[1]): void;
  exists(wallet: WalletName): boolean;
  /** @param balance decimal, two places */
  set(wallet: WalletName, balance: string): void;
  add(wallet: WalletName, amount: string): void;
  /** @returns whether there was enough; then the amount is taken */
  take(wallet: WalletName, amount: string): boolean;
}

/** More than any test pays out, so a wallet is empty only on request. */
const FIRST_BALANCE = '1000000000.00';

export function openWallets(journal: Journal): Wallets {
  const balances = journal.collection<string>('momo.wallets');
  const reported = openReportedBalances(journal, 'momo');
  const idOf = ({ country, currency }: WalletName) => `${country}:${currency}`;
  const names = countries.flatMap(({ code, providers }) =>
    [...new Set(providers.flatMap(({ money }) => money.map(({ currency }) => currency)))].map((currency) => ({
      country: code,
      currency,
    })),
  );
  const balanceOf = (wallet: WalletName) => balances.get(idOf(wallet)) ?? FIRST_BALANCE;
  const change = (wallet: WalletName, cents: bigint) =>
    balances.put(idOf(wallet), decimalOf(centsOf(balanceOf(wallet)) + cents));

  return {
    list: () =>
      names.map((name) => ({ ...name, balance: reported.of(idOf(name), centsOf(balanceOf(name))) })),
    lie: (wallet, fields) => {
      reported.lie(idOf(wallet), fields);
    },
    exists: (wallet) => names.some((name) => idOf(name) === idOf(wallet)),
    set: (wallet, balance) => balances.put(idOf(wallet), balance),
    add(wallet, amount) {
      change(wallet, centsOf(twoPlaces(amount)));
    },
    take(wallet, amount) {
      const cents = centsOf(twoPlaces(amount));
      if (centsOf(balanceOf(wallet)) < cents) return false;
      change(wallet, -cents);
      return true;
    },
  };
}

/** 15.5 → 15.50: the wire has amounts without trailing zeros. */
export function twoPlaces(amount: string): string {
  const [units = '', decimals = ''] = amount.split('.');
  return `${units}.${decimals.padEnd(2, '0')}`;
}
