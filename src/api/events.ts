/** The merchant's event feed: every change of its payments, in order and without gaps. */
import Joi from 'joi';
import { parse } from 'lossless-json';
import { eventTypes, type EventType } from '../domain/event';
import { invalid, PaymentError } from '../domain/errors';
import { cursorOf, positionAt } from '../events/cursor';
import { readEvents, type ExpiredPosition } from '../events/read-events';
import {
  body,
  flag,
  listOf,
  moment,
  success,
  text,
  uuid,
  word,
  type TypeOf,
} from '../rail-kit/answer-fields';
import type { Endpoint } from '../rail-kit/endpoint';
import { optionalText } from '../rail-kit/fields';
import type { Database } from '../store/database';
import type { EventRow } from '../store/tables';
import { idsOfWebhooks } from '../webhooks/merchant-webhooks';
import { limitField, typesField } from './fields';
import { noteQuiet } from './request-context';

const limits = { min: 1, max: 500, unlessReported: 100 };

const cursorShown = 'MTcuMDE4OTBhNWQtYWM5Ni03NzRiLWJjY2UtYjMwMjA5OWE4MDU3';

const query = Joi.object({
  after: optionalText(100)
    .description('`next_cursor` of the previous page. Without it, the feed starts at the oldest stored event')
    .example(cursorShown),
  types: typesField
    .description('Event types, separated by commas, with `*` for all types of a kind')
    .example('deposit.*'),
  limit: limitField(limits).description('Events per page, 1 to 500. Default: 100').example('100'),
});

/** One of the webhook bodies. Each rail declares its own. */
const eventData: Joi.AnySchema<object> = Joi.object()
  .required()
  .meta({ openapi: { $ref: '#/components/schemas/EventData' } });

const answer = body({
  success,
  events: listOf(
    body({
      id: uuid('The event id; also the `webhook-id` of its webhook, if there is one'),
      type: word(eventTypes as [EventType, ...EventType[]], 'The event type', {
        example: 'deposit.succeeded',
      }),
      created_at: moment('When the payment changed'),
      payment_id: uuid('The payment'),
      rail: text("The payment's rail", 'stk', { max: 24 }),
      callback_type: text('The `X-Callback-Type` of its webhooks', 'STK-Push', { max: 32 }),
      has_webhook: flag('Whether a webhook with this id was created', { example: true }),
      data: eventData,
    }),
    'In feed order',
    limits.max,
  ),
  next_cursor: text('Send it as `after` to get the next page', cursorShown),
  has_more: flag('Whether more events may be available now'),
});

interface Asked {
  after?: string;
  types?: EventType[];
  limit?: number;
}

export function eventsEndpoint(db: Database): Endpoint {
  return {
    method: 'GET',
    path: '/api/v1/events',
    access: 'headers',
    scope: 'read',
    rateLimit: 'api',
    input: query,
    starts: false,
    about: {
      id: 'events',
      summary: 'List every change of every payment, in order and without gaps',
      answer,
      errors: ['CURSOR_EXPIRED'],
    },
    async handle({ merchant, input }) {
      const { after, types, limit = limits.unlessReported } = input as Asked;
      const place = after === undefined ? undefined : positionAt(after);
      if (after !== undefined && !place) throw lost('unknown');
      const page = await readEvents(db, merchant.merchant_id, {
        ...(place && { after: place }),
        ...(types && { types: new Set(types) }),
        limit,
      });
      if (typeof page === 'string') throw lost(page);
      // A client that follows the feed polls every few seconds. Its requests would hide all others in the log.
      if (page.events.length === 0) noteQuiet();
      const webhookIds = await idsOfWebhooks(
        db,
        page.events.map(({ event_id: id }) => id),
      );
      return {
        status: 200,
        body: {
          success: true,
          events: page.events.map((event) => shownEvent(event, webhookIds)),
          next_cursor: cursorOf(page.place),
          has_more: page.hasMore,
        } satisfies TypeOf<typeof answer>,
      };
    },
  };
}

function lost(why: ExpiredPosition): PaymentError {
  return why === 'forgotten'
    ? new PaymentError('CURSOR_EXPIRED')
    : invalid([{ field: 'after', message: 'after is not a next_cursor of this feed' }]);
}

/** An event in the merchant's format. */
function shownEvent(event: EventRow, webhookIds: ReadonlySet<string>) {
  return {
    id: event.event_id,
    type: event.type,
    created_at: event.created_at.toISOString(),
    payment_id: event.payment_id,
    rail: event.rail,
    callback_type: event.callback_type,
    has_webhook: webhookIds.has(event.event_id),
    // With the digits as they were written.
    data: parse(event.body) as object,
  };
}
