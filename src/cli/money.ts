/** What the commands that move money by hand have in common. */
import { PaymentError } from '../domain/errors';
import { formatAmount, type Currency } from '../domain/money';
import type { AccountKey } from '../ledger/accounts';
import { balanceOf } from '../ledger/balances';
import { transfer } from '../ledger/transfers';
import { getMerchantOrThrow } from '../merchants/merchants';
import { oneOf, readAmount, readCountry, readCurrency } from './parse';
import { UsageError } from './refusal';
import type { Report } from './report';
import type { Session } from './session';
import { facts } from './table';

/** The rails whose payouts are paid from a float, and whether they keep one per country. */
export const floatRails = { momo: { perCountry: true }, walletpay: { perCountry: false } } as const;
export const readFloatRail = oneOf(Object.keys(floatRails) as (keyof typeof floatRails)[], 'The rail');

export interface FloatOptions {
  rail: keyof typeof floatRails;
  country?: string;
  currency: string;
}

export function floatKey(
  merchantId: string,
  { rail, country, currency }: FloatOptions,
): AccountKey & { class: 'float' } {
  const { perCountry } = floatRails[rail];
  if (perCountry !== (country !== undefined)) {
    throw new UsageError(
      `A float of ${rail} is kept ${perCountry ? 'per country: name one with --country' : 'without a country'}.`,
    );
  }
  return {
    class: 'float',
    merchantId,
    rail,
    country: country === undefined ? null : readCountry(country),
    currency: readCurrency(currency),
  };
}

export interface MoneyMove {
  from: AccountKey;
  to: AccountKey;
  amountMinor: bigint;
  reason: string;
}

/**
 * Moves money between two of the accounts that `between` names for the merchant, and tells what it left behind.
 * @throws PaymentError when the account does not hold it.
 */
export async function moveMoney(
  { context, acting }: Session,
  merchantId: string,
  between: (merchantId: string) => MoneyMove,
): Promise<Report> {
  const { db } = context;
  // The id as it is stored: an account is opened under the letters it is asked for with.
  const { merchant_id: storedId } = await getMerchantOrThrow(db, merchantId);
  const { from, to, amountMinor, reason } = between(storedId);
  if (reason.trim() === '') throw new UsageError('A reason is required: who asks for this, and why.');
  const whenShort = from.class === 'wallet' ? 'BALANCE_INSUFFICIENT' : 'FLOAT_INSUFFICIENT';
  const amount = formatAmount(amountMinor, from.currency);
  try {
    const transferId = await transfer(db, {
      ...{ from, to, amountMinor, reason, whenShort },
      alongside: (trx) =>
        acting.record(trx, {
          subject: { kind: 'merchant', id: storedId },
          needs: { kind: 'money', moves: { currency: from.currency, amountMinor } },
        }),
    });
    const told = {
      transfer_id: transferId,
      amount,
      currency: from.currency,
      from: from.class,
      to: to.class,
      reason,
    };
    const balances: Record<string, string> = {};
    for (const key of [from, to].filter(isMerchants)) balances[key.class] = await shownBalance(key);
    return {
      json: { ...told, balances },
      text: facts([
        ...Object.entries(told),
        ...Object.entries(balances).map(([name, balance]): [string, string] => [`${name} now`, balance]),
      ]),
    };
  } catch (error) {
    if (!(error instanceof PaymentError) || error.code !== whenShort) throw error;
    const held = await shownBalance(from);
    const message = `The ${from.class} holds ${held} ${from.currency}; ${amount} cannot be taken from it.`;
    throw new PaymentError(whenShort, { message });
  }

  async function shownBalance(key: AccountKey): Promise<string> {
    return formatAmount(await balanceOf(db, key), key.currency);
  }
}

function isMerchants(key: AccountKey): boolean {
  return 'merchantId' in key;
}

export interface AmountOptions {
  amount: string;
  currency: string;
  reason: string;
}

export function amountOf({ amount, currency }: AmountOptions): { amountMinor: bigint; currency: Currency } {
  const known = readCurrency(currency);
  return { amountMinor: readAmount(amount, known), currency: known };
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
