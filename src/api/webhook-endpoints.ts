/** A merchant's additional webhook endpoints. Each has an address, a secret and a list of event types. */
import Joi from 'joi';
import { eventTypes, type EventType } from '../domain/event';
import {
  body,
  count,
  listOf,
  moment,
  orNull,
  success,
  text,
  url,
  uuid,
  type TypeOf,
} from '../rail-kit/answer-fields';
import type { Call, Endpoint } from '../rail-kit/endpoint';
import { requiredText } from '../rail-kit/fields';
import { changesOfMerchant, takeToken } from '../merchants/rate-limit';
import { recordAction } from '../users/audit-log';
import type { Transaction } from '../store/database';
import type { WebhookEndpointRow } from '../store/tables';
import { admitWithin } from './admission';
import {
  addEndpoint,
  changeEndpointSecret,
  endEndpoint,
  endpointsMax,
  listEndpoints,
  type EndpointWorld,
} from '../webhooks/endpoints/endpoints';
import { typesField } from './fields';

const endpointFields = body({
  endpoint_id: uuid('The endpoint'),
  url: url("The endpoint's address", 'https://books.example.org/malipo'),
  types: listOf(
    text('An event type', 'deposit.succeeded'),
    'The event types that the endpoint receives, as in the event feed',
    eventTypes.length,
  ),
  failed_tries: count('Failed attempts of the next event', 0),
  skipped: count('Events that were dropped after 14 attempts in 72 hours. The event feed still has them', 0),
  last_status: orNull(count('The HTTP status of the last attempt; null without an answer', 204)),
  last_error: orNull(text('Why the last attempt failed', 'HTTP 500')),
  delivered_at: orNull(moment('When the last event was delivered')),
  created_at: moment('When the endpoint was added'),
});
const secret = text('The signing secret of this endpoint, shown only once', 'whsec_…');
const one = body({ success, endpoint: endpointFields });
const withSecret = body({ success, endpoint: endpointFields, webhook_secret: secret });
const list = body({
  success,
  endpoints: listOf(endpointFields, 'The endpoints in use, oldest first', endpointsMax),
});

const own = { access: 'headers', scope: 'collect', rateLimit: 'api', starts: false } as const;
const path = '/api/v1/webhook_endpoints';
const named = Joi.object({
  endpoint_id: requiredText(36).description('The endpoint').example('01890a5d-ac96-774b-bcce-b302099a8057'),
});
const notFound = ['WEBHOOK_ENDPOINT_NOT_FOUND'] as const;

const changes = { add: 'endpoint_added', change_secret: 'endpoint_secret', end: 'endpoint_ended' } as const;

export interface WebhookEndpointServices extends EndpointWorld {
  /** Sends a mail to the merchant's portal users who approve money movements. */
  notify(
    trx: Transaction,
    merchantId: string,
    change: { what: (typeof changes)[keyof typeof changes]; url: string; apiKey: string },
  ): Promise<void>;
}

export function webhookEndpointEndpoints(world: WebhookEndpointServices): Endpoint[] {
  /** Each call writes a permanent line of the audit log, so calls are limited. Ending an endpoint is not limited. */
  const expectFewChanges = async (merchantId: string) => {
    admitWithin(await takeToken(world.db, { bucket: `endpoints:${merchantId}`, ...changesOfMerchant }));
  };
  /** Sends the mails, and writes the audit line with the key. */
  const written = async (
    trx: Transaction,
    { merchant: { merchant_id: id }, apiKey = '' }: Pick<Call, 'merchant' | 'apiKey'>,
    how: keyof typeof changes,
    { endpoint_id: endpointId, url }: Pick<WebhookEndpointRow, 'endpoint_id' | 'url'>,
  ) => {
    await world.notify(trx, id, { what: changes[how], url, apiKey });
    await recordAction(trx, {
      by: `key:${apiKey}`,
      action: `webhook_endpoint.${how}`,
      subject: { kind: 'merchant', id },
      // Without the address: it may contain a secret of its owner.
      details: { endpoint_id: endpointId },
    });
  };
  const idOf = (input: Record<string, unknown>) => String(input['endpoint_id']);
  return [
    {
      ...own,
      method: 'POST',
      path,
      about: {
        id: 'addWebhookEndpoint',
        summary: 'Add a webhook endpoint',
        details: `The endpoint gets all future events of its types in feed order. Each is sent at least once, with the event id as \`webhook-id\`. A merchant can have at most ${String(endpointsMax)} endpoints at a time. The call accepts no Idempotency-Key, because its answer contains a secret. If the answer is lost, list the endpoints and end the new one`,
        answer: withSecret,
        errors: [],
      },
      input: Joi.object({
        url: requiredText(2_000)
          .description('The address that gets the events')
          .example('https://books.example.org/malipo'),
        types: typesField
          .description('Event types, separated by commas, with `*` for all types of a kind. Default: all')
          .example('deposit.*,refund.succeeded'),
      }),
      async handle(call) {
        const { merchant, input } = call;
        const { url, types = [...eventTypes] } = input as { url: string; types?: EventType[] };
        await expectFewChanges(merchant.merchant_id);
        const added = await addEndpoint(world, merchant.merchant_id, { url, types }, (trx, endpointId) =>
          written(trx, call, 'add', { endpoint_id: endpointId, url }),
        );
        return { status: 200, body: shownWithSecret(added) };
      },
    },
    {
      ...own,
      scope: 'read',
      method: 'GET',
      path,
      about: {
        id: 'listWebhookEndpoints',
        summary: "List the merchant's additional webhook endpoints",
        answer: list,
        errors: [],
      },
      input: Joi.object({}),
      async handle({ merchant }) {
        const endpoints = await listEndpoints(world.db, merchant.merchant_id);
        const listed: TypeOf<typeof list> = { success: true, endpoints: endpoints.map(shownEndpoint) };
        return { status: 200, body: listed };
      },
    },
    {
      ...own,
      method: 'POST',
      path: `${path}/:endpoint_id/change_secret`,
      about: {
        id: 'changeWebhookEndpointSecret',
        summary: 'Change the secret of an endpoint',
        details:
          'Webhooks are also signed with the previous secret until the next change. If the answer is lost, the previous secret still works: change the secret again, and use the new one at once',
        answer: withSecret,
        errors: notFound,
      },
      input: named,
      async handle(call) {
        const { merchant_id: id } = call.merchant;
        await expectFewChanges(id);
        const changed = await changeEndpointSecret(world, id, idOf(call.input), (trx, endpoint) =>
          written(trx, call, 'change_secret', endpoint),
        );
        return { status: 200, body: shownWithSecret(changed) };
      },
    },
    {
      ...own,
      method: 'POST',
      path: `${path}/:endpoint_id/end`,
      about: {
        id: 'endWebhookEndpoint',
        summary: 'End a webhook endpoint',
        answer: one,
        errors: notFound,
      },
      input: named,
      async handle(call) {
        const { merchant_id: id } = call.merchant;
        const endpoint = await endEndpoint(world.db, id, idOf(call.input), (trx, row) =>
          written(trx, call, 'end', row),
        );
        const ended: TypeOf<typeof one> = { success: true, endpoint: shownEndpoint(endpoint) };
        return { status: 200, body: ended };
      },
    },
  ];
}

function shownWithSecret({ endpoint, secret: shown }: { endpoint: WebhookEndpointRow; secret: string }) {
  const answer: TypeOf<typeof withSecret> = {
    success: true,
    endpoint: shownEndpoint(endpoint),
    webhook_secret: shown,
  };
  return answer;
}

function shownEndpoint(row: WebhookEndpointRow): TypeOf<typeof endpointFields> {
  return {
    endpoint_id: row.endpoint_id,
    url: row.url,
    types: row.types.split(','),
    failed_tries: row.tries,
    skipped: Number(row.skipped),
    last_status: row.last_status,
    last_error: row.last_error,
    delivered_at: row.delivered_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}
