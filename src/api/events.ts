/** The merchant's feed of events: every change of its payments, in order and without gaps. */
import Joi from 'joi';
import { parse } from 'lossless-json';
import { eventTypes, type EventType } from '../domain/event';
import { invalid, PaymentError } from '../domain/errors';
import { cursorOf, placeAt } from '../events/cursor';
import { readEvents, type LostPlace } from '../events/read-events';
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

const limits = { min: 1, max: 500, unlessTold: 100 };

const cursorShown = 'MTcuMDE4OTBhNWQtYWM5Ni03NzRiLWJjY2UtYjMwMjA5OWE4MDU3';

const query = Joi.object({
  after: optionalText(100)
    .description('`next_cursor` of the page before; from the oldest event that is kept without it')
    .example(cursorShown),
  types: typesField
    .description('Types of events with commas between them, `*` for all of a kind')
    .example('deposit.*'),
  limit: limitField(limits).description('Events on a page, 1 to 500; 100 unless told').example('100'),
});

/** One of the bodies of webhooks: which there are, the rails tell. */
const eventData: Joi.AnySchema<object> = Joi.object()
  .required()
  .meta({ openapi: { $ref: '#/components/schemas/EventData' } });

const answer = body({
  success,
  events: listOf(
    body({
      id: uuid('Of the event, and of the webhook that tells of it where there is one'),
      type: word(eventTypes as [EventType, ...EventType[]], 'What became of the payment', {
        example: 'deposit.succeeded',
      }),
      created_at: moment('When it changed'),
      payment_id: uuid('The payment'),
      rail: text('Its rail', 'stk', { max: 24 }),
      callback_type: text('The `X-Callback-Type` of its webhooks', 'STK-Push', { max: 32 }),
      has_webhook: flag('A webhook with this id tells of it, too', { example: true }),
      data: eventData,
    }),
    'In the order in which they are to be read',
    limits.max,
  ),
  next_cursor: text('What the next page is asked for with, as `after`', cursorShown),
  has_more: flag('There may be more right now'),
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
      summary: 'Every change of every payment, in order and without gaps',
      answer,
      refusals: ['CURSOR_EXPIRED'],
    },
    async handle({ merchant, input }) {
      const { after, types, limit = limits.unlessTold } = input as Asked;
      const place = after === undefined ? undefined : placeAt(after);
      if (after !== undefined && !place) throw lost('unknown');
      const page = await readEvents(db, merchant.merchant_id, {
        ...(place && { after: place }),
        ...(types && { types: new Set(types) }),
        limit,
      });
      if (typeof page === 'string') throw lost(page);
      // Whoever follows the feed asks every few seconds: in the log it would hide all else.
      if (page.events.length === 0) noteQuiet();
      const webhookIds = await idsOfWebhooks(
        db,
        page.events.map(({ event_id: id }) => id),
      );
      return {
        status: 200,
        body: {
          success: true,
          events: page.events.map((event) => toldEvent(event, webhookIds)),
          next_cursor: cursorOf(page.place),
          has_more: page.hasMore,
        } satisfies TypeOf<typeof answer>,
      };
    },
  };
}

function lost(why: LostPlace): PaymentError {
  return why === 'forgotten'
    ? new PaymentError('CURSOR_EXPIRED')
    : invalid([{ field: 'after', message: 'after is no next_cursor of this feed' }]);
}

/** An event as its merchant reads it. */
function toldEvent(event: EventRow, webhookIds: ReadonlySet<string>) {
  return {
    id: event.event_id,
    type: event.type,
    created_at: event.created_at.toISOString(),
    payment_id: event.payment_id,
    rail: event.rail,
    callback_type: event.callback_type,
    has_webhook: webhookIds.has(event.event_id),
    // With the digits that it was written with.
    data: parse(event.body) as object,
  };
}
