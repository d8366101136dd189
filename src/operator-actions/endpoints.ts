/** Changes a merchant's additional webhook endpoints. The merchant can do the same over the API. */
import Joi from 'joi';
import { eventTypes } from '../domain/event';
import { typesNamed } from '../api/fields';
import { getMerchantOrThrow } from '../merchants/merchants';
import { endpointChange, mailDecidersOf, type Change } from '../portal/mails';
import type { Transaction } from '../store/database';
import type { WebhookEndpointRow } from '../store/tables';
import { addEndpoint, changeEndpointSecret, endEndpoint } from '../webhooks/endpoints/endpoints';
import { defineAction, type ActionScope, type Recorded } from './action';
import { id } from './fields';
import { ownerMail } from './mails';

export interface EndpointWithSecret {
  endpoint_id: string;
  url: string;
  types: string;
  webhook_secret: string;
}

interface AddInput {
  merchant_id: string;
  url: string;
  /** Names and patterns, such as `payout.*`; all types by default. */
  types?: string[];
}

interface EndpointInput {
  merchant_id: string;
  endpoint_id: string;
}

const types = Joi.array()
  .items(Joi.string().allow('').max(100))
  .max(1_000)
  .custom((names: string[], helpers) =>
    typesNamed(names)
      ? names
      : helpers.message(
          { custom: '{#text}' },
          {
            text: `"${names.join(',')}" has an unknown event type; write them like deposit.succeeded,payout.*.`,
          },
        ),
  );

const ofEndpoint = Joi.object<EndpointInput>({ merchant_id: id.required(), endpoint_id: id.required() });

const worldOf = ({ context: { db }, box, config: { environment } }: ActionScope) => ({
  db,
  box,
  environment,
});

/** The id as it is stored. @throws PaymentError if there is no such merchant. */
async function merchantIn({ context: { db } }: ActionScope, merchantId: string): Promise<string> {
  return (await getMerchantOrThrow(db, merchantId)).merchant_id;
}

const about = (merchantId: string, endpointId: string): Recorded => ({
  subject: { kind: 'merchant', id: merchantId },
  details: { endpoint_id: endpointId },
});

/** Mails the change to those who decide about the merchant's money, and writes the audit line. */
async function changed(
  scope: ActionScope,
  trx: Transaction,
  { merchantId, endpointId, change }: { merchantId: string; endpointId: string; change: Change },
): Promise<void> {
  await mailDecidersOf(trx, ownerMail(scope, merchantId), change);
  await scope.acting.record(trx, about(merchantId, endpointId));
}

function withSecret({
  endpoint: { endpoint_id, url, types: reported },
  secret,
}: {
  endpoint: WebhookEndpointRow;
  secret: string;
}): EndpointWithSecret {
  return { endpoint_id, url, types: reported, webhook_secret: secret };
}

/** Everything but the secrets. */
export type PublicEndpoint = Omit<WebhookEndpointRow, 'webhook_secret' | 'previous_webhook_secret'> & {
  webhook_secret_is_rotating: boolean;
};

export function publicEndpoint({
  webhook_secret: _,
  previous_webhook_secret: previous,
  ...row
}: WebhookEndpointRow): PublicEndpoint {
  return { ...row, webhook_secret_is_rotating: previous !== null };
}

const common = { version: 1, right: 'act', approval: 'never', writes: 'database' } as const;

export const endpointActions = {
  'merchant.endpoint.add': defineAction<AddInput, EndpointWithSecret>({
    ...common,
    schema: Joi.object<AddInput>({
      merchant_id: id.required(),
      url: Joi.string().max(4_000).required(),
      types,
    }),
    phrase: {
      en: 'add the webhook endpoint {url} of {merchant}',
      sw: 'kuongeza anwani ya webhook {url} ya {merchant}',
    },
    async run(scope, { merchant_id: merchantId, url, types: named }) {
      const storedId = await merchantIn(scope, merchantId);
      const wanted = { url, types: (named && typesNamed(named)) ?? eventTypes };
      const change = endpointChange('endpoint_added', url);
      const added = await addEndpoint(worldOf(scope), storedId, wanted, (trx, endpointId) =>
        changed(scope, trx, { merchantId: storedId, endpointId, change }),
      );
      return withSecret(added);
    },
  }),

  'merchant.endpoint.remove': defineAction<EndpointInput, Pick<EndpointWithSecret, 'endpoint_id' | 'url'>>({
    ...common,
    schema: ofEndpoint,
    phrase: {
      en: 'remove the webhook endpoint {endpoint_id} of {merchant}',
      sw: 'kuondoa anwani ya webhook {endpoint_id} ya {merchant}',
    },
    async run(scope, { merchant_id: merchantId, endpoint_id: endpointId }) {
      const storedId = await merchantIn(scope, merchantId);
      const { endpoint_id, url } = await endEndpoint(scope.context.db, storedId, endpointId, (trx, ended) =>
        changed(scope, trx, {
          ...{ merchantId: storedId, endpointId: ended.endpoint_id },
          change: endpointChange('endpoint_ended', ended.url),
        }),
      );
      return { endpoint_id, url };
    },
  }),

  'merchant.endpoint.rotate': defineAction<EndpointInput, EndpointWithSecret>({
    ...common,
    schema: ofEndpoint,
    phrase: {
      en: 'make a new secret of the webhook endpoint {endpoint_id} of {merchant}',
      sw: 'kutengeneza siri mpya ya anwani ya webhook {endpoint_id} ya {merchant}',
    },
    async run(scope, { merchant_id: merchantId, endpoint_id: endpointId }) {
      const storedId = await merchantIn(scope, merchantId);
      const renewed = await changeEndpointSecret(worldOf(scope), storedId, endpointId, (trx, endpoint) =>
        changed(scope, trx, {
          ...{ merchantId: storedId, endpointId: endpoint.endpoint_id },
          change: endpointChange('endpoint_secret', endpoint.url),
        }),
      );
      return withSecret(renewed);
    },
  }),
};
