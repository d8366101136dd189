/** Moves money between the bank, a merchant's floats and its wallet. */
import Joi from 'joi';
import { PaymentError } from '../domain/errors';
import { formatAmount } from '../domain/money';
import type { AccountKey } from '../ledger/accounts';
import { balanceOf } from '../ledger/balances';
import { transfer } from '../ledger/conversions';
import { getMerchantOrThrow } from '../merchants/merchants';
import { railDefinitions } from '../rails';
import { defineAction, type ActionScope } from './action';
import { InputError } from './errors';
import { amount, country, currency, id, readBy, reason } from './fields';
import { oneOf, readAmount, readCurrency, readSignedAmount } from './read';

/** The rails whose payouts are paid from a float. */
const floatRails = new Map(
  railDefinitions.flatMap(({ name, float }) => (float ? [[name, float] as const] : [])),
);
const floatRailNames = [...floatRails.keys()];
/** Such as `momo or walletpay`. */
export const floatRailChoice = floatRailNames.join(' or ');
export const readFloatRail = oneOf(floatRailNames, 'The rail');
export const floatRail = readBy(readFloatRail);

export interface FloatOf {
  rail: string;
  country?: string | undefined;
  currency: string;
}

/** @throws InputError if the country is missing, or if the rail's floats have no country. */
export function floatKey(merchantId: string, of: FloatOf): AccountKey & { class: 'float' } {
  const rail = readFloatRail(of.rail);
  const perCountry = floatRails.get(rail)?.perCountry === true;
  if (perCountry !== (of.country !== undefined))
    throw new InputError(
      perCountry
        ? `${rail} has one float per country: name the country.`
        : `A float of ${rail} has no country.`,
    );
  return {
    class: 'float',
    merchantId,
    rail,
    country: of.country ?? null,
    currency: readCurrency(of.currency),
  };
}

interface MoneyTransfer {
  from: AccountKey;
  to: AccountKey;
  amountMinor: bigint;
  reason: string;
}

/** The transfer, with amounts as decimal texts. */
export interface TransferResult {
  transfer_id: string;
  amount: string;
  currency: string;
  from: string;
  to: string;
  reason: string;
  /** The new balances of the merchant's accounts among the two, by class. */
  balances: Record<string, string>;
}

/** @throws PaymentError if the balance is too low. */
async function transferMoney(
  { context, acting }: ActionScope,
  merchantId: string,
  between: (merchantId: string) => MoneyTransfer,
): Promise<TransferResult> {
  const { db } = context;
  // The id as it is stored: the name of an account must not depend on the typed upper or lower case.
  const { merchant_id: storedId } = await getMerchantOrThrow(db, merchantId);
  const { from, to, amountMinor, reason: why } = between(storedId);
  const whenShort = from.class === 'wallet' ? 'BALANCE_INSUFFICIENT' : 'FLOAT_INSUFFICIENT';
  const decimal = formatAmount(amountMinor, from.currency);
  const shownBalance = async (key: AccountKey) => formatAmount(await balanceOf(db, key), key.currency);
  try {
    const transferId = await transfer(db, {
      ...{ from, to, amountMinor, reason: why, whenShort },
      alongside: (trx) =>
        acting.record(trx, {
          subject: { kind: 'merchant', id: storedId },
          money: { currency: from.currency, amountMinor },
        }),
    });
    const balances: Record<string, string> = {};
    for (const key of [from, to]) if ('merchantId' in key) balances[key.class] = await shownBalance(key);
    return {
      transfer_id: transferId,
      ...{ amount: decimal, currency: from.currency, from: from.class, to: to.class },
      reason: why,
      balances,
    };
  } catch (error) {
    if (!(error instanceof PaymentError) || error.code !== whenShort) throw error;
    const held = await shownBalance(from);
    const message = `The ${from.class} has ${held} ${from.currency}, less than ${decimal}.`;
    throw new PaymentError(whenShort, { message });
  }
}

interface FloatInput extends FloatOf {
  merchant_id: string;
  amount: string;
  reason: string;
}

const floatInput = Joi.object<FloatInput>({
  merchant_id: id.required(),
  rail: floatRail.required(),
  country,
  currency: currency.required(),
  amount: amount.required(),
  reason: reason.required(),
});

const placeOf = ({ rail, country: of }: Pick<FloatInput, 'rail' | 'country'>) => ({
  place: [rail, of].filter(Boolean).join(' · '),
});

const money = { version: 1, right: 'act', approval: 'money', writes: 'database' } as const;

interface WalletInput {
  merchant_id: string;
  currency: string;
  amount: string;
  against: 'bank' | 'suspense';
  reason: string;
}

export const moneyActions = {
  'float.add': defineAction<FloatInput, TransferResult>({
    ...money,
    schema: floatInput,
    phrase: {
      en: 'add {amount} to the float of {merchant} ({place})',
      sw: 'kuongeza {amount} kwenye akiba ya {merchant} ({place})',
    },
    names: (_, input) => Promise.resolve(placeOf(input)),
    run: (scope, input) =>
      transferMoney(scope, input.merchant_id, (merchantId) => ({
        from: { class: 'bank', currency: readCurrency(input.currency) },
        to: floatKey(merchantId, input),
        amountMinor: readAmount(input.amount, readCurrency(input.currency)),
        reason: input.reason,
      })),
  }),

  'float.withdraw': defineAction<FloatInput, TransferResult>({
    ...money,
    schema: floatInput,
    phrase: {
      en: 'take {amount} from the float of {merchant} ({place})',
      sw: 'kutoa {amount} kwenye akiba ya {merchant} ({place})',
    },
    names: (_, input) => Promise.resolve(placeOf(input)),
    run: (scope, input) =>
      transferMoney(scope, input.merchant_id, (merchantId) => ({
        from: floatKey(merchantId, input),
        to: { class: 'bank', currency: readCurrency(input.currency) },
        amountMinor: readAmount(input.amount, readCurrency(input.currency)),
        reason: input.reason,
      })),
  }),

  'wallet.adjust': defineAction<WalletInput, TransferResult>({
    ...money,
    schema: Joi.object<WalletInput>({
      merchant_id: id.required(),
      currency: currency.required(),
      amount: amount.required(),
      against: readBy(oneOf(['bank', 'suspense'], 'The other side')).required(),
      reason: reason.required(),
    }),
    phrase: ({ amount: typed }) =>
      typed.startsWith('-')
        ? {
            en: 'take {amount} from the wallet of {merchant}, to {against}',
            sw: 'kutoa {amount} kwenye pochi ya {merchant}, kwenda {against}',
          }
        : {
            en: 'add {amount} to the wallet of {merchant}, from {against}',
            sw: 'kuongeza {amount} kwenye pochi ya {merchant}, kutoka {against}',
          },
    run: (scope, { merchant_id: merchantId, against, reason: why, ...input }) => {
      const code = readCurrency(input.currency);
      const signed = readSignedAmount(input.amount, code);
      const other: AccountKey = { class: against, currency: code };
      return transferMoney(scope, merchantId, (stored) => {
        const wallet: AccountKey = { class: 'wallet', merchantId: stored, currency: code };
        return signed > 0n
          ? { from: other, to: wallet, amountMinor: signed, reason: why }
          : { from: wallet, to: other, amountMinor: -signed, reason: why };
      });
    },
  }),

  'wallet.transfer': defineAction<FloatInput, TransferResult>({
    ...money,
    schema: floatInput,
    phrase: {
      en: 'move {amount} from the wallet of {merchant} to its float ({place})',
      sw: 'kuhamisha {amount} kutoka pochi ya {merchant} kwenda kwenye akiba yake ({place})',
    },
    names: (_, input) => Promise.resolve(placeOf(input)),
    run: (scope, input) =>
      transferMoney(scope, input.merchant_id, (merchantId) => ({
        from: { class: 'wallet', merchantId, currency: readCurrency(input.currency) },
        to: floatKey(merchantId, input),
        amountMinor: readAmount(input.amount, readCurrency(input.currency)),
        reason: input.reason,
      })),
  }),
};
