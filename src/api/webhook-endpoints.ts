/** A merchant's further webhook endpoints: each with an address, a secret and types of events of its own. */
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

const endpointTold = body({
  endpoint_id: uuid('The endpoint'),
  url: url('Where it is', 'https://books.example.org/malipo'),
  types: listOf(
    text('A type of event', 'deposit.succeeded'),
    'What it is sent: types of events, as the feed has them',
    eventTypes.length,
  ),
  failed_tries: count('How often the event that comes next was tried in vain', 0),
  skipped: count('Events that were given up after 14 tries in 72 hours; the feed has them', 0),
  last_status: orNull(count('How the last try was answered; null without an answer', 204)),
  last_error: orNull(text('Why the last try failed', 'HTTP 500')),
  delivered_at: orNull(moment('When something arrived last')),
  created_at: moment('When it was added'),
});
const secret = text('Signs what is sent there; shown this once', 'whsec_…');
const one = body({ success, endpoint: endpointTold });
const withSecret = body({ success, endpoint: endpointTold, webhook_secret: secret });
const list = body({
  success,
  endpoints: listOf(endpointTold, 'Those in use, the oldest first', endpointsMax),
});

const own = { access: 'headers', scope: 'collect', rateLimit: 'api', starts: false } as const;
const path = '/api/v1/webhook_endpoints';
const named = Joi.object({
  endpoint_id: requiredText(36).description('The endpoint').example('01890a5d-ac96-774b-bcce-b302099a8057'),
});
const notFound = ['WEBHOOK_ENDPOINT_NOT_FOUND'] as const;

const changes = { add: 'endpoint_added', change_secret: 'endpoint_secret', end: 'endpoint_ended' } as const;

export interface WebhookEndpointServices extends EndpointWorld {
  /** Mails whoever decides about the merchant's money. */
  tell(
    trx: Transaction,
    merchantId: string,
    change: { what: (typeof changes)[keyof typeof changes]; url: string; apiKey: string },
  ): Promise<void>;
}

export function webhookEndpointEndpoints(world: WebhookEndpointServices): Endpoint[] {
  /** Each writes a line of the audit log, which is for good. What is to end, ends. */
  const expectFewChanges = async (merchantId: string) => {
    admitWithin(await takeToken(world.db, { bucket: `endpoints:${merchantId}`, ...changesOfMerchant }));
  };
  /** The mails, and the line that names the key. */
  const written = async (
    trx: Transaction,
    { merchant: { merchant_id: id }, apiKey = '' }: Pick<Call, 'merchant' | 'apiKey'>,
    how: keyof typeof changes,
    { endpoint_id: endpointId, url }: Pick<WebhookEndpointRow, 'endpoint_id' | 'url'>,
  ) => {
    await world.tell(trx, id, { what: changes[how], url, apiKey });
    await recordAction(trx, {
      by: `key:${apiKey}`,
      action: `webhook_endpoint.${how}`,
      subject: { kind: 'merchant', id },
      // Not where it is: an address may hold a secret of its owner's.
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
        summary: 'Adds an address that is told what happens from now on',
        details: `It is sent the events of its types in the order of the feed, each at least once, with the id of the event as \`webhook-id\`. At most ${String(endpointsMax)} are in use at a time. It takes no Idempotency-Key, as its answer holds a secret: where that answer is lost, list the endpoints and end the new one`,
        answer: withSecret,
        refusals: [],
      },
      input: Joi.object({
        url: requiredText(2_000).description('Where to send it').example('https://books.example.org/malipo'),
        types: typesField
          .description('Types of events with commas between them, `*` for all of a kind; all unless told')
          .example('deposit.*,refund.succeeded'),
      }),
      async handle(call) {
        const { merchant, input } = call;
        const { url, types = [...eventTypes] } = input as { url: string; types?: EventType[] };
        await expectFewChanges(merchant.merchant_id);
        const added = await addEndpoint(world, merchant.merchant_id, { url, types }, (trx, endpointId) =>
          written(trx, call, 'add', { endpoint_id: endpointId, url }),
        );
        return { status: 200, body: toldWithSecret(added) };
      },
    },
    {
      ...own,
      scope: 'read',
      method: 'GET',
      path,
      about: {
        id: 'listWebhookEndpoints',
        summary: 'The further addresses that the merchant is told at',
        answer: list,
        refusals: [],
      },
      input: Joi.object({}),
      async handle({ merchant }) {
        const endpoints = await listEndpoints(world.db, merchant.merchant_id);
        const listed: TypeOf<typeof list> = { success: true, endpoints: endpoints.map(told) };
        return { status: 200, body: listed };
      },
    },
    {
      ...own,
      method: 'POST',
      path: `${path}/:endpoint_id/change_secret`,
      about: {
        id: 'changeWebhookEndpointSecret',
        summary: 'Gives an endpoint a new secret',
        details:
          'What is sent is signed with the one before, too, until the next change. Where the answer is lost, the one before goes on signing: change it once more, and use the new one at once',
        answer: withSecret,
        refusals: notFound,
      },
      input: named,
      async handle(call) {
        const { merchant_id: id } = call.merchant;
        await expectFewChanges(id);
        const changed = await changeEndpointSecret(world, id, idOf(call.input), (trx, endpoint) =>
          written(trx, call, 'change_secret', endpoint),
        );
        return { status: 200, body: toldWithSecret(changed) };
      },
    },
    {
      ...own,
      method: 'POST',
      path: `${path}/:endpoint_id/end`,
      about: {
        id: 'endWebhookEndpoint',
        summary: 'Sends an endpoint nothing more',
        answer: one,
        refusals: notFound,
      },
      input: named,
      async handle(call) {
        const { merchant_id: id } = call.merchant;
        const endpoint = await endEndpoint(world.db, id, idOf(call.input), (trx, row) =>
          written(trx, call, 'end', row),
        );
        const ended: TypeOf<typeof one> = { success: true, endpoint: told(endpoint) };
        return { status: 200, body: ended };
      },
    },
  ];
}

function toldWithSecret({ endpoint, secret: shown }: { endpoint: WebhookEndpointRow; secret: string }) {
  const answer: TypeOf<typeof withSecret> = {
    success: true,
    endpoint: told(endpoint),
    webhook_secret: shown,
  };
  return answer;
}

function told(row: WebhookEndpointRow): TypeOf<typeof endpointTold> {
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
