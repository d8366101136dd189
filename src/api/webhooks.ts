/** A merchant's own webhooks: which there are, how each try went, once more, and one to try an address with. */
import Joi from 'joi';
import {
  body,
  flag,
  listOf,
  moment,
  orNull,
  success,
  text,
  url,
  uuid,
  count,
  word,
  type TypeOf,
} from '../rail-kit/answer-fields';
import type { Endpoint } from '../rail-kit/endpoint';
import { optionalText, requiredText } from '../rail-kit/fields';
import { shownState, shownStates } from '../payments/read/merchant-view';
import type { Database } from '../store/database';
import { listCursorOf, type ListPlace } from '../store/list-place';
import type { OutboxRow, WebhookDeliveryRow } from '../store/tables';
import {
  deliveriesOf,
  getOwnWebhookOrThrow,
  listOwnWebhooks,
  resendWebhook,
  triesMax,
  type ShownWebhook,
} from '../webhooks/merchant-webhooks';
import type { SentTest, TestSender } from '../webhooks/send-test';
import { limitField, listCursorField, nextCursorTold } from './fields';

const limits = { min: 1, max: 100, unlessTold: 50 };

export interface WebhookServices {
  db: Database;
  /** Has a payment's webhooks delivered now; where that fails, they are in a minute. */
  wake(paymentId: string): Promise<void>;
  tests: Pick<TestSender, 'send'>;
}

interface Asked {
  payment_id?: string;
  state?: OutboxRow['state'];
  limit?: number;
  cursor?: ListPlace;
}

const own = { access: 'headers', scope: 'collect', rateLimit: 'api' } as const;
const idShown = '01890a5d-ac96-774b-bcce-b302099a8057';
const ofOne = Joi.object({
  webhook_id: requiredText(36).description('The webhook, as its `webhook-id` header').example(idShown),
});
const states = ['pending', 'delivered', 'dead', 'unaddressed', 'superseded'] as const;
const endpoints = ['webhook_url', 'callback_url'] as const;

const webhookTold = body({
  webhook_id: uuid('The same at every try'),
  payment_id: uuid('The payment that it tells of'),
  payment_state: word(shownStates, 'What became of the payment', { example: 'succeeded' }),
  callback_type: text('Its `X-Callback-Type`', 'STK-Push'),
  endpoint: word(endpoints, 'Which of your addresses it goes to'),
  state: word(
    states,
    'What became of it; `dead`: given up, `unaddressed`: there was no address, `superseded`: not sent any more, because a later status of the payment has replaced it',
  ),
  sequence: orNull(count('Which change of the payment it tells; null for one from before there was any', 3)),
  superseded_by: orNull(uuid('The webhook of the later status that has replaced it; it is not sent again')),
  tries: count('How often it was tried since it was last due', 1),
  created_at: moment('When it was written'),
  next_at: orNull(moment('When it is tried next, while it is pending')),
  settled_at: orNull(moment('When it arrived, was given up or was replaced')),
});
/** How one try was answered. */
export const ofAnswer = {
  http_status: orNull(count('How it was answered; null without an answer', 200)),
  duration_ms: count('How long it took. Milliseconds', 85),
  error: orNull(text('Why it did not arrive', 'HTTP 500')),
  response_excerpt: orNull(text('What the answer began with', 'ok')),
};
const listAnswer = body({
  success,
  webhooks: listOf(webhookTold, 'The newest first', limits.max),
  next_cursor: nextCursorTold,
});
const deliveriesAnswer = body({
  success,
  webhook: webhookTold,
  deliveries: listOf(
    body({
      n: count('Counts the tries from 1', 1),
      at: moment('When it was over'),
      url: orNull(url('Where to', 'https://shop.example.org/webhooks')),
      ...ofAnswer,
    }),
    'The last 100 tries, the newest first',
    triesMax,
  ),
});
const resendAnswer = body({ success, webhook: webhookTold });
export const testAnswer = body({
  success,
  webhook_id: uuid('Its `webhook-id`'),
  delivered: flag('It was answered with a status from 200 to 299'),
  ...ofAnswer,
  sent_at: moment('When it was sent'),
});

export function webhookEndpoints({ db, wake, tests }: WebhookServices): Endpoint[] {
  return [
    {
      ...own,
      scope: 'read',
      method: 'GET',
      path: '/api/v1/webhooks',
      about: {
        id: 'listWebhooks',
        summary: 'What the merchant was, or is to be, sent',
        answer: listAnswer,
        refusals: [],
      },
      starts: false,
      input: Joi.object({
        payment_id: optionalText(36).description('Of one payment alone').example(idShown),
        state: optionalText(16)
          .valid(...states)
          .description('In one state alone')
          .example('dead'),
        limit: limitField(limits).description('Webhooks on a page, 1 to 100; 50 unless told').example('50'),
        cursor: listCursorField,
      }),
      async handle({ merchant, input }) {
        const { payment_id: paymentId, state, limit = limits.unlessTold, cursor } = input as Asked;
        const page = { before: cursor, limit };
        const { webhooks, next } = await listOwnWebhooks(
          db,
          merchant.merchant_id,
          { paymentId, state },
          page,
        );
        const next_cursor = next ? listCursorOf(next) : null;
        const listedPage: TypeOf<typeof listAnswer> = {
          success: true,
          webhooks: webhooks.map(told),
          next_cursor,
        };
        return { status: 200, body: listedPage };
      },
    },
    {
      ...own,
      scope: 'read',
      method: 'GET',
      path: '/api/v1/webhooks/:webhook_id/deliveries',
      about: {
        id: 'webhookDeliveries',
        summary: 'How each try to send a webhook went',
        answer: deliveriesAnswer,
        refusals: ['WEBHOOK_NOT_FOUND'],
      },
      starts: false,
      input: ofOne,
      async handle({ merchant, input }) {
        const webhook = await getOwnWebhookOrThrow(db, merchant.merchant_id, String(input['webhook_id']));
        const deliveries = (await deliveriesOf(db, webhook.webhook_id)).map(toldDelivery);
        return { status: 200, body: { success: true, webhook: told(webhook), deliveries } };
      },
    },
    {
      ...own,
      method: 'POST',
      path: '/api/v1/webhooks/:webhook_id/resend',
      about: {
        id: 'resendWebhook',
        summary: 'Sends a webhook once more',
        answer: resendAnswer,
        details:
          'Under the same `webhook-id`, with all tries before it. A status that a later one has replaced is not sent again',
        refusals: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_SUPERSEDED', 'WEBHOOK_NOT_KEPT'],
      },
      starts: true,
      input: ofOne,
      async handle({ merchant, input }) {
        const webhook = await resendWebhook(db, merchant.merchant_id, String(input['webhook_id']));
        await wake(webhook.payment_id);
        return { status: 200, body: { success: true, webhook: told(webhook) } };
      },
    },
    {
      ...own,
      method: 'POST',
      path: '/api/v1/webhooks/test',
      about: {
        id: 'testWebhook',
        summary: 'Sends a webhook that tells of nothing, and says how it was answered',
        answer: testAnswer,
        refusals: ['WEBHOOK_WITHOUT_ADDRESS'],
      },
      starts: true,
      input: Joi.object({
        endpoint: optionalText(16)
          .valid(...endpoints)
          .description('Which of your addresses; webhook_url unless told')
          .example('webhook_url'),
      }),
      async handle({ merchant, input }) {
        const endpoint = (input['endpoint'] as OutboxRow['endpoint'] | undefined) ?? 'webhook_url';
        const sent = await tests.send(merchant, endpoint);
        return { status: 200, body: toldTest(sent) };
      },
    },
  ];
}

export function toldTest(sent: SentTest): TypeOf<typeof testAnswer> {
  return {
    success: true,
    webhook_id: sent.webhookId,
    delivered: sent.error === null,
    http_status: sent.httpStatus,
    duration_ms: sent.durationMs,
    error: sent.error,
    response_excerpt: sent.excerpt,
    sent_at: sent.sentAt.toISOString(),
  };
}

function told(webhook: ShownWebhook): TypeOf<typeof webhookTold> {
  const isPending = webhook.state === 'pending';
  return {
    webhook_id: webhook.webhook_id,
    payment_id: webhook.payment_id,
    payment_state: shownState(webhook.to_state),
    callback_type: webhook.callback_type,
    endpoint: webhook.endpoint,
    state: webhook.state,
    sequence: webhook.sequence,
    superseded_by: webhook.superseded_by,
    tries: webhook.tries,
    created_at: webhook.created_at.toISOString(),
    next_at: isPending ? webhook.next_at.toISOString() : null,
    settled_at: webhook.settled_at?.toISOString() ?? null,
  };
}

function toldDelivery(delivery: WebhookDeliveryRow) {
  return {
    n: delivery.n,
    at: delivery.at.toISOString(),
    url: delivery.url,
    http_status: delivery.http_status,
    duration_ms: delivery.duration_ms,
    error: delivery.error,
    response_excerpt: delivery.response_excerpt,
  };
}
