/** The answers and the webhook of this rail, as openapi.json describes them. */
import Joi from 'joi';
import type { Currency } from '../../domain/money';
import { normalizedWebhookFields } from '../../payments/transition/normalized-webhook';
import {
  amountNumber,
  body,
  currencyCode,
  flag,
  orNull,
  success,
  text,
  url,
  word,
  type TypeOf,
} from '../../rail-kit/answer-fields';
import {
  codesAmong,
  type EndpointDescription,
  type NotificationDescription,
  type RailDescription,
} from '../../rail-kit/description';
import { nextStepFields } from '../../payments/read/next-step';
import { errorCodesOfCreation } from '../../payments/read/creation-errors';
import { meanings } from './providers/pesapal/submission';
import { sequenceField } from '../../rail-kit/fields';
import { cardprocNextSteps, cardStatus, wrapperStatus } from './status';

const trackingId = orNull(
  text('The order. Everybody who knows this id can query its status', 'b945e4af-80a5-4ec1-8706-e03f8332fb04'),
);
const redirectUrl = url('The payment page. Show it in an iframe', 'https://pay.example/iframe/1');
const merchantReference = orNull(text('Your merchant_ref', 'ORDER-1'));

const initiated = body({
  success,
  redirect_url: redirectUrl,
  order_tracking_id: trackingId,
  order_id: orNull(text('Your order_id', 'ORDER-1')),
});

const submitted = body({
  success,
  order_tracking_id: trackingId,
  merchant_reference: merchantReference,
  redirect_url: redirectUrl,
});

const status = body({
  success,
  order_tracking_id: trackingId,
  merchant_reference: merchantReference,
  status: word(
    ['COMPLETED', 'INVALID', 'FAILED', 'REVERSED'],
    'The status of the order. It is INVALID also while the customer has not paid yet',
  ),
  status_code: Joi.number<0 | 1 | 2 | 3>()
    .valid(0, 1, 2, 3)
    .required()
    .description('0 INVALID, 1 COMPLETED, 2 FAILED, 3 REVERSED')
    .example(1),
  is_final: flag('Whether the status is final: the order is paid, or can no longer be paid'),
  message: text('What the status means, as a sentence', 'The payment is completed'),
  ...nextStepFields,
  amount: amountNumber('The paid amount, or the requested amount before the payment'),
  currency: currencyCode<Currency>('The currency of the amount', 'KES'),
  payment_method: text('The payment method, once known', 'Visa'),
  confirmation_code: text("The processor's confirmation code, once known", 'RGB3TP1VX1'),
  ...sequenceField,
});

export type InitiateAnswer = TypeOf<typeof initiated>;
export type SubmitOrderAnswer = TypeOf<typeof submitted>;
export type TransactionStatusAnswer = TypeOf<typeof status>;

const ofOrders = [...codesAmong(meanings.map(({ means }) => means)), ...errorCodesOfCreation];
const details =
  "Neither the answer nor the browser's return proves a payment. Query transaction_status.php, or wait for the webhook";

/** The rail's endpoints for openapi.json, by operation. */
export const cardprocAbout = {
  initiate: {
    id: 'initiate',
    summary: 'Create an order (wrapper) and get its payment page',
    details,
    answer: initiated,
    errors: ofOrders,
  },
  initiateCardproc: {
    id: 'initiateCardproc',
    summary: 'Create an order (wrapper, alternative path)',
    details,
    answer: initiated,
    errors: ofOrders,
  },
  submitOrder: {
    id: 'submitOrder',
    summary: 'Create an order (card API) and get its payment page',
    details,
    answer: submitted,
    errors: ofOrders,
  },
  transactionStatus: {
    id: 'transactionStatus',
    summary: 'Get the status of an order by its order_tracking_id',
    answer: status,
    errors: ['PAYMENT_NOT_FOUND'],
  },
} satisfies Record<string, EndpointDescription>;

export const cardprocDescription: RailDescription = {
  about: 'Hosted checkout: a page for card, mobile money or bank payments',
  webhooks: [
    {
      id: 'hostedCheckoutUpdate',
      summary: 'The result of a wrapper order. Merchants of the card API poll, or add a webhook endpoint',
      callbackType: 'Hosted-Checkout',
      endpoint: 'webhook_url',
      body: body(
        normalizedWebhookFields('cardproc', 'Hosted-Checkout', [
          'COMPLETED',
          'PENDING',
          'FAILED',
          'INVALID',
          'REVERSED',
        ]),
      ),
    },
  ],
  states: {
    deposit: {
      comesTo: ['pending', 'succeeded', 'failed', 'timed_out', 'reversed'],
      reads: [
        ['status (wrapper)', wrapperStatus],
        ['status and code (card API)', (payment) => Object.values(cardStatus(payment)).join(' ')],
      ],
    },
  },
  reasons: cardprocNextSteps,
};

const named = (about: string, example: string) => Joi.string().description(about).example(example);
const query = {
  OrderTrackingId: named("The processor's id of the order", 'b945e4af-80a5-4ec1-8706-e03f8332fb04'),
  OrderMerchantReference: named('The reference under which the order was submitted', 'b2c3f7c2'),
  OrderNotificationType: named('IPNCHANGE, or CALLBACKURL for a browser', 'IPNCHANGE'),
};

/** @param id the operation id; the processor notifies by GET or POST. */
export const notificationAbout = (id: string): NotificationDescription => ({
  id,
  summary: 'Receive a notification of the processor. The service verifies each one by a status query',
  details: 'The parameters may also be in the body, as JSON or as a form',
  query,
  answers: {
    200: {
      about: 'Acknowledged',
      json: Joi.object({
        orderNotificationType: Joi.string().allow('').required(),
        orderTrackingId: Joi.string().allow('').required(),
        orderMerchantReference: Joi.string().allow('').required(),
        status: Joi.number<200 | 500>().valid(200, 500).required(),
      }),
    },
  },
  errors: [],
});

export const callbackAbout: NotificationDescription = {
  id: 'hostedCheckoutReturn',
  summary: 'Query the processor, then redirect the customer to the merchant',
  query,
  answers: {
    200: { about: 'A page of the service, if the merchant has none', form: 'text/html' },
    302: { about: "The merchant's page" },
  },
  errors: [],
};
