/** Changes the settings, keys and secrets of merchants. */
import Joi from 'joi';
import {
  everyScope,
  keyScopes,
  scopesColumn,
  scopesOf,
  type ApiKeyPair,
  type KeyScope,
} from '../merchants/api-keys';
import {
  createMerchant,
  getMerchantOrThrow,
  rotateWebhookSecret,
  setMerchant,
  type MerchantInput,
  type NewMerchant,
} from '../merchants/merchants';
import { listKeys, revokeKey, rotateKey, type ListedKey } from '../merchants/own-keys';
import { addressesChange, mailDecidersOf } from '../portal/mails';
import type { Database } from '../store/database';
import type { MerchantRow } from '../store/tables';
import { defineAction } from './action';
import { ActionError, InputError } from './errors';
import { id, readBy } from './fields';
import { ownerMail } from './mails';
import { oneOf } from './read';

interface Settings {
  name?: string;
  status?: string;
  callback_url?: string;
  webhook_url?: string;
  return_url?: string;
  cancel_url?: string;
  wallet_currency?: string;
  stk_cents?: string;
  permissions?: string[];
  ip_allow?: string[];
  checkout_hosts?: string[];
  stk_rate?: number;
  stk_burst?: number;
  api_rate?: number;
  api_burst?: number;
  duplicate_window_s?: number;
  duplicate_alert?: string;
  time_zone?: string;
}

/** `merchantColumns` reads these texts, and reports all faults at once. An empty text removes a setting. */
const text = Joi.string().allow('').max(4_000);
const texts = Joi.array().items(text).max(1_000);
const perMinute = Joi.number().integer().min(1).max(999_999_999);

const settings = {
  callback_url: text,
  webhook_url: text,
  return_url: text,
  cancel_url: text,
  wallet_currency: text,
  stk_cents: text,
  permissions: texts,
  ip_allow: texts,
  checkout_hosts: texts,
  stk_rate: perMinute,
  stk_burst: perMinute,
  api_rate: perMinute,
  api_burst: perMinute,
  duplicate_window_s: Joi.number().integer().min(0).max(999_999_999),
  duplicate_alert: text,
  time_zone: text,
};

function inputOf(given: Settings): MerchantInput {
  return {
    ...{ name: given.name, status: given.status },
    ...{ callbackUrl: given.callback_url, webhookUrl: given.webhook_url },
    ...{ returnUrl: given.return_url, cancelUrl: given.cancel_url },
    ...{ walletCurrency: given.wallet_currency, stkCents: given.stk_cents },
    ...{ permissions: given.permissions, ipAllow: given.ip_allow, checkoutHosts: given.checkout_hosts },
    ...{ stkRate: given.stk_rate, stkBurst: given.stk_burst },
    ...{ apiRate: given.api_rate, apiBurst: given.api_burst },
    ...{
      duplicateWindow: given.duplicate_window_s,
      duplicateAlert: given.duplicate_alert,
      timeZone: given.time_zone,
    },
  };
}

/** Everything but the secrets. */
export type PublicMerchant = Omit<MerchantRow, 'webhook_secret' | 'previous_webhook_secret'> & {
  webhook_secret_is_rotating: boolean;
};

export function publicMerchant({
  webhook_secret: _,
  previous_webhook_secret: previous,
  ...merchant
}: MerchantRow): PublicMerchant {
  return { ...merchant, webhook_secret_is_rotating: previous !== null };
}

export type MerchantWithKeys = PublicMerchant & { api_keys: ListedKey[] };

/** @throws PaymentError MERCHANT_NOT_FOUND */
export async function getMerchantWithKeys(db: Database, merchantId: string): Promise<MerchantWithKeys> {
  const merchant = await getMerchantOrThrow(db, merchantId);
  return { ...publicMerchant(merchant), api_keys: await listKeys(db, merchant.merchant_id) };
}

const addressColumns = ['webhook_url', 'callback_url', 'return_url', 'cancel_url'] as const;

const about = (merchantId: string) => ({ subject: { kind: 'merchant', id: merchantId } });

interface OfMerchant {
  merchant_id: string;
}

const common = { version: 1, right: 'act', writes: 'database' } as const;

export const merchantActions = {
  'merchant.create': defineAction<Settings & { name: string }, NewMerchant>({
    ...common,
    approval: 'keys',
    schema: Joi.object<Settings & { name: string }>({ name: text.required(), ...settings }),
    phrase: {
      en: 'add the merchant {name}, with API keys',
      sw: 'kumwongeza mfanyabiashara {name}, pamoja na funguo za API',
    },
    run: ({ context, box, config: { environment }, acting }, input) =>
      createMerchant(
        context.db,
        box,
        { ...inputOf(input), name: input.name, environment },
        (trx, merchantId) => acting.record(trx, about(merchantId)),
      ),
  }),

  'merchant.set': defineAction<OfMerchant & Settings, MerchantWithKeys>({
    ...common,
    approval: 'keys',
    schema: Joi.object<OfMerchant & Settings>({
      merchant_id: id.required(),
      name: text,
      status: text,
      ...settings,
    }),
    phrase: { en: 'change settings of {merchant}', sw: 'kubadilisha mipangilio ya {merchant}' },
    async run(scope, { merchant_id: merchantId, ...given }) {
      if (Object.keys(given).length === 0) throw new InputError('Nothing to set: name at least one setting.');
      const { context, config, acting } = scope;
      // Permissions and allowed addresses decide what a key can do, so they need the approval of a key.
      const opens = given.permissions !== undefined || given.ip_allow !== undefined;
      const before = await getMerchantOrThrow(context.db, merchantId);
      await setMerchant(context.db, merchantId, inputOf(given), config, async (trx) => {
        const mail = ownerMail(scope, merchantId);
        const now = await getMerchantOrThrow(trx, merchantId);
        const changed = addressColumns.filter((column) => now[column] !== before[column]);
        if (changed.length > 0) await mailDecidersOf(trx, mail, addressesChange(now, changed));
        if (given.status === 'inactive')
          await mailDecidersOf(trx, mail, { what: 'merchant_closed', values: {} });
        if (given.ip_allow !== undefined) {
          const addresses = given.ip_allow.filter(Boolean).join(', ') || '*';
          await mailDecidersOf(trx, mail, { what: 'access_changed', values: { addresses } });
        }
        await acting.record(trx, { ...about(merchantId), second: opens ? 'by_rule' : 'never' });
      });
      return getMerchantWithKeys(context.db, merchantId);
    },
  }),

  'merchant.rotate-key': defineAction<OfMerchant & { scopes?: KeyScope[] }, OfMerchant & ApiKeyPair>({
    ...common,
    approval: 'keys',
    schema: Joi.object<OfMerchant & { scopes?: KeyScope[] }>({
      merchant_id: id.required(),
      scopes: Joi.array()
        .items(readBy(oneOf(keyScopes, 'The scope')))
        .max(100),
    }),
    phrase: {
      en: 'make a new API key of {merchant}',
      sw: 'kutengeneza ufunguo mpya wa API wa {merchant}',
    },
    async run(scope, { merchant_id: merchantId, scopes = everyScope }) {
      const { context, config, acting } = scope;
      const wanted = { environment: config.environment, scopes };
      const pair = await rotateKey(context.db, merchantId, wanted, async (trx, rotated) => {
        const may = scopesOf(scopesColumn(scopes));
        const mail = ownerMail(scope, merchantId);
        const made = { key: rotated.pair.api_key, scopes: may };
        await mailDecidersOf(trx, mail, { what: 'key_created', values: made });
        for (const key of rotated.ended)
          await mailDecidersOf(trx, mail, { what: 'key_ended', values: { key } });
        await acting.record(trx, about(merchantId));
      });
      return { merchant_id: merchantId, ...pair };
    },
  }),

  'merchant.revoke-key': defineAction<
    OfMerchant & { api_key: string },
    OfMerchant & { api_key: string; revoked: true }
  >({
    ...common,
    approval: 'never',
    schema: Joi.object<OfMerchant & { api_key: string }>({
      merchant_id: id.required(),
      api_key: id.required(),
    }),
    phrase: {
      en: 'end the API key {api_key} of {merchant}',
      sw: 'kusitisha ufunguo wa API {api_key} wa {merchant}',
    },
    async run(scope, { merchant_id: merchantId, api_key: apiKey }) {
      const { context, acting } = scope;
      const { merchant_id: storedId } = await getMerchantOrThrow(context.db, merchantId);
      const revoked = await revokeKey(context.db, storedId, apiKey, async (trx) => {
        const change = { what: 'key_ended', values: { key: apiKey } } as const;
        await mailDecidersOf(trx, ownerMail(scope, storedId), change);
        await acting.record(trx, about(storedId));
      });
      if (!revoked) throw new ActionError('The merchant has no active API key with this name.');
      return { merchant_id: storedId, api_key: apiKey, revoked };
    },
  }),

  'merchant.rotate-webhook-secret': defineAction<OfMerchant, OfMerchant & { webhook_secret: string }>({
    ...common,
    approval: 'never',
    schema: Joi.object<OfMerchant>({ merchant_id: id.required() }),
    phrase: {
      en: 'make a new webhook secret of {merchant}',
      sw: 'kutengeneza siri mpya ya webhook ya {merchant}',
    },
    async run(scope, { merchant_id: merchantId }) {
      const { context, box, acting } = scope;
      const webhookSecret = await rotateWebhookSecret(context.db, box, merchantId, async (trx) => {
        await mailDecidersOf(trx, ownerMail(scope, merchantId), { what: 'secret_changed', values: {} });
        await acting.record(trx, about(merchantId));
      });
      return { merchant_id: merchantId, webhook_secret: webhookSecret };
    },
  }),
};
