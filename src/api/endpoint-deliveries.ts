/** The deliveries of an additional webhook endpoint: list of attempts, resend, and test webhook. */
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
import { listCursorOf, type ListCursor } from '../store/list-cursor';
import type { EndpointTryRow } from '../store/tables';
import { listEndpointDeliveries, resendEvent } from '../webhooks/endpoints/resends';
import { getEndpointOrThrow, type EndpointWorld } from '../webhooks/endpoints/endpoints';
import type { TestSender } from '../webhooks/send-test';
import { limitField, listCursorField, nextCursorField } from './fields';
import { ofAnswer, testAnswer, shownTest } from './webhooks';

const limits = { min: 1, max: 100, unlessReported: 50 };

const ofEvent = {
  event_id: uuid('The event; also its `webhook-id` header'),
  type: word(eventTypes as [EventType, ...EventType[]], 'The event type', {
    example: 'deposit.succeeded',
  }),
  payment_id: uuid('The payment'),
};
const deliveriesAnswer = body({
  success,
  deliveries: listOf(
    body({
      ...ofEvent,
      n: count('The number of the attempt, from 1. It restarts at 1 after a resend', 1),
      at: moment('When the attempt ended'),
      delivered: flag('Whether the endpoint answered with a status from 200 to 299'),
      superseded_by: orNull(
        uuid(
          'The later event that replaced this one. It was not sent, and does not count as an attempt. Null for an attempt',
        ),
      ),
      ...ofAnswer,
    }),
    'Newest first',
    limits.max,
  ),
  next_cursor: nextCursorField,
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
  cursor?: ListCursor;
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
        summary: 'List the delivery attempts of an endpoint',
        details: 'Stored as long as the events, 90 days',
        answer: deliveriesAnswer,
        errors: ['WEBHOOK_ENDPOINT_NOT_FOUND'],
      },
      starts: false,
      input: Joi.object({
        ...named,
        event_id: optionalText(36).description('Only this event').example(idShown),
        limit: limitField(limits).description('Attempts per page, 1 to 100. Default: 50').example('50'),
        cursor: listCursorField,
      }),
      async handle({ merchant, input }) {
        const {
          endpoint_id: id,
          event_id: eventId,
          limit = limits.unlessReported,
          cursor,
        } = input as unknown as Asked;
        const { endpoint_id: endpointId } = await getEndpointOrThrow(db, merchant.merchant_id, id);
        const page = { before: cursor, limit };
        const { deliveries, next } = await listEndpointDeliveries(db, endpointId, eventId, page);
        const listed: TypeOf<typeof deliveriesAnswer> = {
          success: true,
          deliveries: deliveries.map(shownTry),
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
        summary: 'Resend an event to an endpoint',
        details:
          "The resend has the same `webhook-id` and up to 14 new attempts, in parallel with the ordered delivery of the endpoint. A resend that is already in progress restarts. An event that a later event of the endpoint's types has replaced is not resent",
        answer: resendAnswer,
        errors: ['WEBHOOK_ENDPOINT_NOT_FOUND', 'WEBHOOK_NOT_FOUND', 'WEBHOOK_SUPERSEDED', 'WEBHOOK_NOT_KEPT'],
      },
      starts: true,
      input: Joi.object({
        ...named,
        event_id: requiredText(36)
          .description(
            'The event, as in its `webhook-id` header; it must have been sent to this endpoint before',
          )
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
        summary: 'Send a test webhook to an endpoint',
        answer: testAnswer,
        errors: ['WEBHOOK_ENDPOINT_NOT_FOUND', 'WEBHOOK_WITHOUT_ADDRESS'],
      },
      starts: true,
      input: Joi.object(named),
      async handle({ merchant, input }) {
        const { endpoint_id: id } = input as unknown as Asked;
        const endpoint = await getEndpointOrThrow(db, merchant.merchant_id, id);
        return { status: 200, body: shownTest(await tests.sendTo(endpoint)) };
      },
    },
  ];
}

function shownTry(row: EndpointTryRow): TypeOf<typeof deliveriesAnswer>['deliveries'][number] {
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
