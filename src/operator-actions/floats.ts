/** Statements of an operator about a provider's wallet: its balance is right, or money was moved by hand. */
import Joi from 'joi';
import { postOpeningAdjustment, stateMovement, type Stated } from '../floats/opening-adjustment';
import type { FloatWalletKey, FloatWalletRow } from '../store/tables';
import { defineAction, type Acting } from './action';
import { amount, country, currency, id, reason } from './fields';
import { readCurrency, readSignedAmount } from './read';

interface WalletInput {
  provider: string;
  country?: string;
  currency: string;
  reason: string;
}

const walletFields = {
  provider: id.required(),
  country,
  currency: currency.required(),
  reason: reason.required(),
};

function keyOf({ provider, country: of = '', currency: code }: WalletInput): FloatWalletKey {
  return { provider, country: of, currency: readCurrency(code) };
}

/** @param second asks for a second operator, for any amount. */
function statedBy(
  { name, record }: Acting,
  { currency: code, reason: why }: WalletInput,
  second: { second?: 'always' } = {},
): Stated {
  return {
    by: name,
    record: (trx, { subject, details }, movesMinor) =>
      record(trx, {
        subject,
        details: { ...details, reason: why },
        money: { currency: readCurrency(code), amountMinor: movesMinor },
        ...second,
      }),
  };
}

const money = { version: 1, right: 'act', approval: 'money', writes: 'database' } as const;

interface OpeningAdjustmentInput extends WalletInput {
  /** What the provider may keep of the turnover for itself. */
  fee_per_mille?: number;
}

export const floatActions = {
  'float-check.adjust': defineAction<OpeningAdjustmentInput, FloatWalletRow>({
    ...money,
    version: 2,
    schema: Joi.object<OpeningAdjustmentInput>({
      ...walletFields,
      fee_per_mille: Joi.number().integer().min(0).max(1_000),
    }),
    phrase: {
      en: 'take what {provider} holds now in {currency} as right, where {difference}',
      sw: 'kukubali kile {provider} anachoshikilia sasa katika {currency}, ambapo {difference}',
    },
    run: ({ context, acting }, input) =>
      postOpeningAdjustment(context.db, keyOf(input), {
        // The fee decides how much the wallet can lack from now on. The present difference says nothing about that.
        ...statedBy(acting, input, input.fee_per_mille === undefined ? {} : { second: 'always' }),
        feePerMille: input.fee_per_mille,
      }),
  }),

  'float-check.transfer': defineAction<WalletInput & { amount: string }, FloatWalletRow>({
    ...money,
    schema: Joi.object<WalletInput & { amount: string }>({ ...walletFields, amount: amount.required() }),
    phrase: ({ amount: typed }) =>
      typed.startsWith('-')
        ? {
            en: 'note that {amount} was taken out of the wallet at {provider}',
            sw: 'kuandika kwamba {amount} zilitolewa kwenye pochi ya {provider}',
          }
        : {
            en: 'note that {amount} was put into the wallet at {provider}',
            sw: 'kuandika kwamba {amount} ziliwekwa kwenye pochi ya {provider}',
          },
    run: ({ context, acting }, input) => {
      const amountMinor = readSignedAmount(input.amount, readCurrency(input.currency));
      return stateMovement(context.db, keyOf(input), amountMinor, statedBy(acting, input));
    },
  }),
};
