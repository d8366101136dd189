import Joi from 'joi';
import { providerUrl, readVariables } from '../../config';
import { addressRanges } from '../../domain/ip-address';
import { noKey, noProvider } from '../../rail-kit/absent-keys';
import type { RailKeys } from '../../rail-kit/rail-definition';

/** The settings of this rail. */
export interface StkSettings {
  baseUrl: string;
  consumerKey: string;
  consumerSecret: string;
  passkey: string;
  shortcode: string;
  transactionType: 'CustomerPayBillOnline' | 'CustomerBuyGoodsOnline';
  /** The shortcode that is credited; a till number for buy-goods. */
  partyB: string;
  /** The initiator of status queries, and its credential as the provider's portal creates it. */
  initiator: { name: string; credential: string } | undefined;
  /**
   * The phone number with which the shortcode is registered for Pull Transactions; undefined if the account does not
   * have it.
   */
  pullNumber: string | undefined;
  /** The network's maximum for one payment, in whole shillings. */
  amountMax: number;
  /** The allowed addresses of notifications; empty allows every address that knows the path token. */
  callbackAddresses: string[];
}

interface Variables {
  STK_BASE_URL: string;
  STK_CONSUMER_KEY: string;
  STK_CONSUMER_SECRET: string;
  STK_PASSKEY: string;
  STK_SHORTCODE: string;
  STK_TRANSACTION_TYPE: StkSettings['transactionType'];
  STK_PARTY_B?: string;
  STK_INITIATOR?: string;
  STK_SECURITY_CREDENTIAL?: string;
  STK_PULL_TRANSACTIONS: 'on' | 'off';
  STK_PULL_NUMBER?: string;
  STK_AMOUNT_MAX: number;
  STK_CALLBACK_ADDRESSES: string[];
}

/** @public A test compares them with the deployment files. */
export const stkVariables = Joi.object<Variables>({
  STK_BASE_URL: providerUrl,
  STK_CONSUMER_KEY: Joi.string().required(),
  STK_CONSUMER_SECRET: Joi.string().required(),
  STK_PASSKEY: Joi.string().required(),
  STK_SHORTCODE: Joi.string()
    .pattern(/^\d{5,7}$/)
    .required()
    .messages({ 'string.pattern.base': 'STK_SHORTCODE must be 5 to 7 digits' }),
  STK_TRANSACTION_TYPE: Joi.string()
    .valid('CustomerPayBillOnline', 'CustomerBuyGoodsOnline')
    .default('CustomerPayBillOnline'),
  STK_PARTY_B: Joi.string()
    .pattern(/^\d{5,8}$/)
    .messages({ 'string.pattern.base': 'STK_PARTY_B must be 5 to 8 digits' }),
  STK_INITIATOR: Joi.string().empty(''),
  // The initiator's password, encrypted with the provider's public key, in base64. It is created once, with the portal
  // or openssl.
  STK_SECURITY_CREDENTIAL: Joi.string().base64().empty(''),
  STK_PULL_TRANSACTIONS: Joi.string().valid('on', 'off').empty('').default('off'),
  // The phone number in the provider's records of the shortcode.
  STK_PULL_NUMBER: Joi.string()
    .empty('')
    .pattern(/^254[17]\d{8}$/)
    .when('STK_PULL_TRANSACTIONS', { is: 'on', then: Joi.required() })
    .messages({ 'string.pattern.base': 'STK_PULL_NUMBER must be 254 and nine digits' }),
  // The provider's own limit (M-Pesa Express, the error for a larger amount); our minimum is 10.
  STK_AMOUNT_MAX: Joi.number().integer().min(10).max(10_000_000).default(150_000),
  STK_CALLBACK_ADDRESSES: addressRanges(),
})
  .and('STK_INITIATOR', 'STK_SECURITY_CREDENTIAL')
  .unknown(true);

export const stkKeys: RailKeys = {
  needs: 'STK_CONSUMER_KEY',
  absent: ({ STK_INITIATOR: initiator = '' }) => ({
    ...{ STK_BASE_URL: noProvider, STK_CONSUMER_KEY: noKey, STK_CONSUMER_SECRET: noKey, STK_PASSKEY: noKey },
    ...(initiator !== '' && { STK_SECURITY_CREDENTIAL: noKey }),
  }),
};

/** @throws ConfigError naming every setting that is missing or wrong. */
export function readStkSettings(env: NodeJS.ProcessEnv): StkSettings {
  const v = readVariables(stkVariables, env);
  return {
    baseUrl: v.STK_BASE_URL,
    consumerKey: v.STK_CONSUMER_KEY,
    consumerSecret: v.STK_CONSUMER_SECRET,
    passkey: v.STK_PASSKEY,
    shortcode: v.STK_SHORTCODE,
    transactionType: v.STK_TRANSACTION_TYPE,
    partyB: v.STK_PARTY_B ?? v.STK_SHORTCODE,
    initiator:
      v.STK_INITIATOR === undefined || v.STK_SECURITY_CREDENTIAL === undefined
        ? undefined
        : { name: v.STK_INITIATOR, credential: v.STK_SECURITY_CREDENTIAL },
    pullNumber: v.STK_PULL_TRANSACTIONS === 'on' ? v.STK_PULL_NUMBER : undefined,
    amountMax: v.STK_AMOUNT_MAX,
    callbackAddresses: v.STK_CALLBACK_ADDRESSES,
  };
}
