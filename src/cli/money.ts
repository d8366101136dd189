/** What the commands about floats and wallets have in common. */
import { formatAmount } from '../domain/money';
import { getMerchantOrThrow } from '../merchants/merchants';
import { readCurrency } from '../operator-actions/read';
import type { MovedMoney } from '../operator-actions/money';
import type { Report } from './report';
import type { Session } from './session';
import { facts } from './table';

export function printMoved(_: Session, { balances, ...moved }: MovedMoney): Report {
  return {
    json: { ...moved, balances },
    text: facts([
      ...Object.entries(moved),
      ...Object.entries(balances).map(([name, balance]): [string, string] => [`${name} now`, balance]),
    ]),
  };
}

/** A merchant's accounts of one kind with what is available and what is set aside for payments on their way. */
export async function balancesOf(
  { context }: Session,
  merchantId: string,
  kind: 'float' | 'wallet',
  currency?: string,
) {
  const { merchant_id: id } = await getMerchantOrThrow(context.db, merchantId);
  const query = context
    .db('ledger_accounts')
    .where({ merchant_id: id })
    .whereIn('class', [kind, `${kind}_reserved`])
    .orderBy('code');
  if (currency !== undefined) void query.where({ currency: readCurrency(currency) });
  const accounts = await query;
  return accounts
    .filter((account) => account.class === kind)
    .map((account) => {
      const reserved = accounts.find(({ code }) => code === account.code.replace(kind, `${kind}_reserved`));
      return {
        rail: account.rail,
        country: account.country,
        currency: account.currency,
        available: formatAmount(BigInt(account.balance ?? 0), account.currency),
        reserved: formatAmount(BigInt(reserved?.balance ?? 0), account.currency),
      };
    });
}
