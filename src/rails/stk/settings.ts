import Joi from 'joi';
import { providerUrl, readVariables } from '../../config';
import { addressRanges } from '../../domain/ip-address';

/** What the operator sets for this rail. */
export interface StkSettings {
  baseUrl: string;
  consumerKey: string;
  consumerSecret: string;
  passkey: string;
  shortcode: string;
  transactionType: 'CustomerPayBillOnline' | 'CustomerBuyGoodsOnline';
  /** The shortcode credited; a till number for buy-goods. */
  partyB: string;
  /** Who asks for the status of transactions, and the credential of it as the provider's portal makes it. */
  initiator: { name: string; credential: string } | undefined;
  /** The number that the shortcode is registered with for Pull Transactions; undefined where the account has not got it. */
  pullNumber: string | undefined;
  /** What the network moves at most in one payment, in whole shillings. */
  amountMax: number;
  /** Addresses notifications may come from; empty takes them from anywhere that knows the path token. */
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

/** @public Compared with the deployment files by a test. */
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
  // The initiator's password under the provider's public key, in base64: it is made once, with the portal or openssl.
  STK_SECURITY_CREDENTIAL: Joi.string().base64().empty(''),
  STK_PULL_TRANSACTIONS: Joi.string().valid('on', 'off').empty('').default('off'),
  // The one of the shortcode's records at the provider.
  STK_PULL_NUMBER: Joi.string()
    .empty('')
    .pattern(/^254[17]\d{8}$/)
    .when('STK_PULL_TRANSACTIONS', { is: 'on', then: Joi.required() })
    .messages({ 'string.pattern.base': 'STK_PULL_NUMBER must be 254 and nine digits' }),
  // The provider's own limit (M-Pesa Express, error of a larger amount); the least that we ask for is 10.
  STK_AMOUNT_MAX: Joi.number().integer().min(10).max(10_000_000).default(150_000),
  STK_CALLBACK_ADDRESSES: addressRanges(),
})
  .and('STK_INITIATOR', 'STK_SECURITY_CREDENTIAL')
  .unknown(true);

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
