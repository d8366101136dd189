/** A merchant's webhooks: list, delivery attempts, resend, and test. */
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
import { listCursorOf, type ListCursor } from '../store/list-cursor';
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
import { limitField, listCursorField, nextCursorField } from './fields';

const limits = { min: 1, max: 100, unlessReported: 50 };

export interface WebhookServices {
  db: Database;
  /** Delivers a payment's webhooks now. If this fails, the worker delivers them within a minute. */
  signalOrStart(paymentId: string): Promise<void>;
  tests: Pick<TestSender, 'send'>;
}

interface Asked {
  payment_id?: string;
  state?: OutboxRow['state'];
  limit?: number;
  cursor?: ListCursor;
}

const own = { access: 'headers', scope: 'collect', rateLimit: 'api' } as const;
const idShown = '01890a5d-ac96-774b-bcce-b302099a8057';
const ofOne = Joi.object({
  webhook_id: requiredText(36).description('The webhook, as in its `webhook-id` header').example(idShown),
});
const states = ['pending', 'delivered', 'dead', 'unaddressed', 'superseded'] as const;
const endpoints = ['webhook_url', 'callback_url'] as const;

const webhookFields = body({
  webhook_id: uuid('The webhook; the same id for every attempt'),
  payment_id: uuid('The payment of the webhook'),
  payment_state: word(shownStates, 'The state of the payment', { example: 'succeeded' }),
  callback_type: text("The webhook's `X-Callback-Type`", 'STK-Push'),
  endpoint: word(endpoints, 'Which of your addresses gets the webhook'),
  state: word(
    states,
    'The delivery state. `dead`: all attempts failed. `unaddressed`: there was no address. `superseded`: no longer sent, because a later status of the payment replaced it',
  ),
  sequence: orNull(
    count("The number of the payment's change; null for a webhook from before these numbers existed", 3),
  ),
  superseded_by: orNull(
    uuid('The webhook with the later status that replaced this one, which is not sent again'),
  ),
  tries: count('Attempts since the webhook last became due', 1),
  created_at: moment('When the webhook was created'),
  next_at: orNull(moment('When the next attempt is due, while the webhook is pending')),
  settled_at: orNull(moment('When the webhook was delivered, dropped or replaced')),
});
/** The result of one attempt. */
export const ofAnswer = {
  http_status: orNull(count('The HTTP status of the answer; null without an answer', 200)),
  duration_ms: count('The duration. Milliseconds', 85),
  error: orNull(text('Why the webhook was not delivered', 'HTTP 500')),
  response_excerpt: orNull(text('The start of the answer', 'ok')),
};
const listAnswer = body({
  success,
  webhooks: listOf(webhookFields, 'Newest first', limits.max),
  next_cursor: nextCursorField,
});
const deliveriesAnswer = body({
  success,
  webhook: webhookFields,
  deliveries: listOf(
    body({
      n: count('The number of the attempt, from 1', 1),
      at: moment('When the attempt ended'),
      url: orNull(url('The address', 'https://shop.example.org/webhooks')),
      ...ofAnswer,
    }),
    'The last 100 attempts, newest first',
    triesMax,
  ),
});
const resendAnswer = body({ success, webhook: webhookFields });
export const testAnswer = body({
  success,
  webhook_id: uuid('The `webhook-id` of the webhook'),
  delivered: flag('Whether the address answered with a status from 200 to 299'),
  ...ofAnswer,
  sent_at: moment('When the webhook was sent'),
});

export function webhookEndpoints({ db, signalOrStart, tests }: WebhookServices): Endpoint[] {
  return [
    {
      ...own,
      scope: 'read',
      method: 'GET',
      path: '/api/v1/webhooks',
      about: {
        id: 'listWebhooks',
        summary: "List the merchant's webhooks, sent and pending",
        answer: listAnswer,
        errors: [],
      },
      starts: false,
      input: Joi.object({
        payment_id: optionalText(36).description('Only this payment').example(idShown),
        state: optionalText(16)
          .valid(...states)
          .description('Only this state')
          .example('dead'),
        limit: limitField(limits).description('Webhooks per page, 1 to 100. Default: 50').example('50'),
        cursor: listCursorField,
      }),
      async handle({ merchant, input }) {
        const { payment_id: paymentId, state, limit = limits.unlessReported, cursor } = input as Asked;
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
          webhooks: webhooks.map(shownWebhook),
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
        summary: 'List the delivery attempts of a webhook',
        answer: deliveriesAnswer,
        errors: ['WEBHOOK_NOT_FOUND'],
      },
      starts: false,
      input: ofOne,
      async handle({ merchant, input }) {
        const webhook = await getOwnWebhookOrThrow(db, merchant.merchant_id, String(input['webhook_id']));
        const deliveries = (await deliveriesOf(db, webhook.webhook_id)).map(shownDelivery);
        return { status: 200, body: { success: true, webhook: shownWebhook(webhook), deliveries } };
      },
    },
    {
      ...own,
      method: 'POST',
      path: '/api/v1/webhooks/:webhook_id/resend',
      about: {
        id: 'resendWebhook',
        summary: 'Resend a webhook',
        answer: resendAnswer,
        details:
          'The resend has the same `webhook-id` and up to 14 new attempts. A webhook that a later status has replaced is not resent',
        errors: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_SUPERSEDED', 'WEBHOOK_NOT_KEPT'],
      },
      starts: true,
      input: ofOne,
      async handle({ merchant, input }) {
        const webhook = await resendWebhook(db, merchant.merchant_id, String(input['webhook_id']));
        await signalOrStart(webhook.payment_id);
        return { status: 200, body: { success: true, webhook: shownWebhook(webhook) } };
      },
    },
    {
      ...own,
      method: 'POST',
      path: '/api/v1/webhooks/test',
      about: {
        id: 'testWebhook',
        summary: 'Send a test webhook',
        answer: testAnswer,
        errors: ['WEBHOOK_WITHOUT_ADDRESS'],
      },
      starts: true,
      input: Joi.object({
        endpoint: optionalText(16)
          .valid(...endpoints)
          .description('The address that gets the test. Default: webhook_url')
          .example('webhook_url'),
      }),
      async handle({ merchant, input }) {
        const endpoint = (input['endpoint'] as OutboxRow['endpoint'] | undefined) ?? 'webhook_url';
        const sent = await tests.send(merchant, endpoint);
        return { status: 200, body: shownTest(sent) };
      },
    },
  ];
}

export function shownTest(sent: SentTest): TypeOf<typeof testAnswer> {
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

function shownWebhook(webhook: ShownWebhook): TypeOf<typeof webhookFields> {
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

function shownDelivery(delivery: WebhookDeliveryRow) {
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
