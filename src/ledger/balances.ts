import type { Currency } from '../domain/money';
import type { Database } from '../store/database';
import { accountCode, type AccountKey } from './accounts';

/** The balance of an account in minor units; zero for one that was never used. Only for accounts with a balance row. */
export async function balanceOf(db: Database, key: AccountKey): Promise<bigint> {
  const row = await db('ledger_accounts')
    .where({ code: accountCode(key) })
    .first('balance');
  return BigInt(row?.balance ?? 0);
}

/** The merchant's available wallet money in one currency, in minor units. */
export function walletBalance(db: Database, merchantId: string, currency: Currency): Promise<bigint> {
  return balanceOf(db, { class: 'wallet', merchantId, currency });
}
