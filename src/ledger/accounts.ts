import type { Currency } from '../domain/money';
import type { Database } from '../store/database';

/**
 * The chart of accounts. A positive balance is money that the account's owner may claim: a merchant's wallet rises
 * with a collection, and the provider's clearing account falls by the same amount.
 */
export type AccountKey =
  | { class: 'wallet' | 'wallet_reserved'; merchantId: string; currency: Currency }
  | {
      class: 'float' | 'float_reserved';
      merchantId: string;
      rail: string;
      country: string | null;
      currency: Currency;
    }
  /** Money that a rail's provider holds for us. Every payment books on it, so it has no balance row. */
  | { class: 'clearing'; rail: string; currency: Currency }
  /** Money from or to the operator's bank: the other side of funding and withdrawals. */
  | { class: 'bank' | 'fees' | 'fx' | 'suspense' | 'vouchers'; currency: Currency }
  /** Money in a provider's statement that has no owner yet, and the provider's own fees. */
  | { class: 'suspense' | 'provider_fees'; provider: string; currency: Currency };

export type AccountClass = AccountKey['class'];

/**
 * Accounts with a limit have a balance row, which the payment's transaction updates. Platform accounts have none: all
 * payments would wait for the lock of one shared row.
 */
export const accountClasses: Record<AccountClass, { carriesBalance: boolean }> = {
  float_reserved: { carriesBalance: true },
  wallet_reserved: { carriesBalance: true },
  float: { carriesBalance: true },
  wallet: { carriesBalance: true },
  clearing: { carriesBalance: false },
  bank: { carriesBalance: false },
  fees: { carriesBalance: false },
  fx: { carriesBalance: false },
  suspense: { carriesBalance: false },
  provider_fees: { carriesBalance: false },
  vouchers: { carriesBalance: false },
};

export interface Account {
  accountId: string;
  class: AccountClass;
  currency: Currency;
}

/** The unique, readable name of an account, such as `wallet:0190…:KES` or `clearing:stk:KES`. */
export function accountCode(key: AccountKey): string {
  const parts: string[] = [key.class];
  if ('rail' in key) parts.push(key.rail);
  if ('provider' in key) parts.push(key.provider);
  if ('merchantId' in key) parts.push(key.merchantId);
  if ('country' in key) parts.push(key.country ?? '-');
  parts.push(key.currency);
  return parts.join(':');
}

const known = new WeakMap<Database, Map<string, Account>>();

/**
 * Finds an account, and opens it at its first use. Called outside the money transaction, so that a rolled-back
 * payment leaves no cached account that does not exist.
 */
export async function openAccount(db: Database, key: AccountKey): Promise<Account> {
  const code = accountCode(key);
  let accounts = known.get(db);
  if (!accounts) known.set(db, (accounts = new Map<string, Account>()));
  const remembered = accounts.get(code);
  if (remembered) return remembered;

  const find = () => db('ledger_accounts').where({ code }).first('account_id');
  let row = await find();
  if (!row) {
    await db('ledger_accounts')
      .insert({
        code,
        class: key.class,
        merchant_id: 'merchantId' in key ? key.merchantId : null,
        // A provider's account uses the column of a rail's.
        rail: 'rail' in key ? key.rail : 'provider' in key ? key.provider : null,
        country: 'country' in key ? key.country : null,
        currency: key.currency,
        balance: accountClasses[key.class].carriesBalance ? '0' : null,
        can_go_negative: accountClasses[key.class].carriesBalance ? 0 : 1,
        created_at: new Date(),
      })
      .onConflict()
      .ignore();
    row = await find();
  }
  if (!row) throw new Error(`account ${code} could not be opened`);
  const account = { accountId: row.account_id, class: key.class, currency: key.currency };
  accounts.set(code, account);
  return account;
}
