/** What a further webhook endpoint was sent: how each try went, once more, and one to try it with. */
import Joi from 'joi';
import { eventTypes, type EventType } from '../domain/event';
import {
  body,
  count,
  flag,
  listOf,
  moment,
  orNull,
  success,
  uuid,
  word,
  type TypeOf,
} from '../rail-kit/answer-fields';
import type { Endpoint } from '../rail-kit/endpoint';
import { optionalText, requiredText } from '../rail-kit/fields';
import { listCursorOf, type ListPlace } from '../store/list-place';
import type { EndpointTryRow } from '../store/tables';
import { listEndpointDeliveries, resendEvent } from '../webhooks/endpoints/resends';
import { getEndpointOrThrow, type EndpointWorld } from '../webhooks/endpoints/endpoints';
import type { TestSender } from '../webhooks/send-test';
import { limitField, listCursorField, nextCursorTold } from './fields';
import { ofAnswer, testAnswer, toldTest } from './webhooks';

const limits = { min: 1, max: 100, unlessTold: 50 };

const ofEvent = {
  event_id: uuid('The event, as its `webhook-id` header'),
  type: word(eventTypes as [EventType, ...EventType[]], 'What became of the payment', {
    example: 'deposit.succeeded',
  }),
  payment_id: uuid('The payment'),
};
const deliveriesAnswer = body({
  success,
  deliveries: listOf(
    body({
      ...ofEvent,
      n: count('Counts the tries of the event from 1, anew once it is sent again', 1),
      at: moment('When it was over'),
      delivered: flag('It was answered with a status from 200 to 299'),
      superseded_by: orNull(
        uuid('The later event that has replaced it: it was not sent, and no try counts. Null for a try'),
      ),
      ...ofAnswer,
    }),
    'The newest first',
    limits.max,
  ),
  next_cursor: nextCursorTold,
});
const resendAnswer = body({ success, ...ofEvent });

const own = { access: 'headers', scope: 'collect', rateLimit: 'api' } as const;
const path = '/api/v1/webhook_endpoints/:endpoint_id';
const idShown = '01890a5d-ac96-774b-bcce-b302099a8057';
const named = { endpoint_id: requiredText(36).description('The endpoint').example(idShown) };

interface Asked {
  endpoint_id: string;
  event_id?: string;
  limit?: number;
  cursor?: ListPlace;
}

export interface EndpointDeliveryServices extends Pick<EndpointWorld, 'db'> {
  tests: Pick<TestSender, 'sendTo'>;
}

export function endpointDeliveryEndpoints({ db, tests }: EndpointDeliveryServices): Endpoint[] {
  return [
    {
      ...own,
      scope: 'read',
      method: 'GET',
      path: `${path}/deliveries`,
      about: {
        id: 'webhookEndpointDeliveries',
        summary: 'How each try to tell an endpoint of an event went',
        details: 'Kept as long as the events are, 90 days',
        answer: deliveriesAnswer,
        refusals: ['WEBHOOK_ENDPOINT_NOT_FOUND'],
      },
      starts: false,
      input: Joi.object({
        ...named,
        event_id: optionalText(36).description('Of one event alone').example(idShown),
        limit: limitField(limits).description('Tries on a page, 1 to 100; 50 unless told').example('50'),
        cursor: listCursorField,
      }),
      async handle({ merchant, input }) {
        const {
          endpoint_id: id,
          event_id: eventId,
          limit = limits.unlessTold,
          cursor,
        } = input as unknown as Asked;
        const { endpoint_id: endpointId } = await getEndpointOrThrow(db, merchant.merchant_id, id);
        const page = { before: cursor, limit };
        const { deliveries, next } = await listEndpointDeliveries(db, endpointId, eventId, page);
        const listed: TypeOf<typeof deliveriesAnswer> = {
          success: true,
          deliveries: deliveries.map(told),
          next_cursor: next ? listCursorOf(next) : null,
        };
        return { status: 200, body: listed };
      },
    },
    {
      ...own,
      method: 'POST',
      path: `${path}/resend`,
      about: {
        id: 'resendToWebhookEndpoint',
        summary: 'Sends an endpoint an event once more',
        details:
          'Under the same `webhook-id`, with all tries before it, beside what the endpoint is sent in order. What is on its way again already is begun anew. A status that a later one of the types it takes has replaced is not sent again',
        answer: resendAnswer,
        refusals: [
          'WEBHOOK_ENDPOINT_NOT_FOUND',
          'WEBHOOK_NOT_FOUND',
          'WEBHOOK_SUPERSEDED',
          'WEBHOOK_NOT_KEPT',
        ],
      },
      starts: true,
      input: Joi.object({
        ...named,
        event_id: requiredText(36)
          .description('The event, as its `webhook-id` header; one that was sent there before')
          .example(idShown),
      }),
      async handle({ merchant, input }) {
        const { endpoint_id: id, event_id: eventId = '' } = input as unknown as Asked;
        const endpoint = await getEndpointOrThrow(db, merchant.merchant_id, id);
        const { type, payment_id } = await resendEvent(db, endpoint, eventId);
        const resent: TypeOf<typeof resendAnswer> = { success: true, event_id: eventId, type, payment_id };
        return { status: 200, body: resent };
      },
    },
    {
      ...own,
      method: 'POST',
      path: `${path}/test`,
      about: {
        id: 'testWebhookEndpoint',
        summary: 'Sends an endpoint a webhook that tells of nothing, and says how it was answered',
        answer: testAnswer,
        refusals: ['WEBHOOK_ENDPOINT_NOT_FOUND', 'WEBHOOK_WITHOUT_ADDRESS'],
      },
      starts: true,
      input: Joi.object(named),
      async handle({ merchant, input }) {
        const { endpoint_id: id } = input as unknown as Asked;
        const endpoint = await getEndpointOrThrow(db, merchant.merchant_id, id);
        return { status: 200, body: toldTest(await tests.sendTo(endpoint)) };
      },
    },
  ];
}

function told(row: EndpointTryRow): TypeOf<typeof deliveriesAnswer>['deliveries'][number] {
  return {
    event_id: row.event_id,
    type: row.type,
    payment_id: row.payment_id,
    n: row.n,
    at: row.created_at.toISOString(),
    delivered: row.error === null,
    superseded_by: row.superseded_by,
    http_status: row.http_status,
    duration_ms: row.duration_ms,
    error: row.error,
    response_excerpt: row.response_excerpt,
  };
}
