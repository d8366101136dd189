/** What this rail's endpoints answer and its webhook tells, as openapi.json describes it. */
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
import { refusalsOfAcceptance } from '../../payments/read/refusals';
import { meanings } from './providers/pesapal/submission';
import { sequenceField } from '../../rail-kit/fields';
import { cardprocNextSteps, cardStatus, wrapperStatus } from './status';

const trackingId = orNull(
  text('The order; whoever knows it may ask how it stands', 'b945e4af-80a5-4ec1-8706-e03f8332fb04'),
);
const redirectUrl = url('The page to pay at: show it in an iframe', 'https://pay.example/iframe/1');
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
    'INVALID also while it waits for its customer',
  ),
  status_code: Joi.number<0 | 1 | 2 | 3>()
    .valid(0, 1, 2, 3)
    .required()
    .description('0 INVALID, 1 COMPLETED, 2 FAILED, 3 REVERSED')
    .example(1),
  is_final: flag('It is not paid any more, or is paid'),
  message: text('What the status means, for a person', 'The payment is completed'),
  ...nextStepFields,
  amount: amountNumber('What was paid, or asked for while nothing is'),
  currency: currencyCode<Currency>('Of the amount', 'KES'),
  payment_method: text('How it was paid, once known', 'Visa'),
  confirmation_code: text("The processor's code, once known", 'RGB3TP1VX1'),
  ...sequenceField,
});

export type InitiateAnswer = TypeOf<typeof initiated>;
export type SubmitOrderAnswer = TypeOf<typeof submitted>;
export type TransactionStatusAnswer = TypeOf<typeof status>;

const ofOrders = [...codesAmong(meanings.map(({ means }) => means)), ...refusalsOfAcceptance];
const details =
  'An acceptance is no proof of payment, nor is the way back of the browser: ask transaction_status.php, or wait for the webhook';

/** What openapi.json tells of the rail's endpoints, by what they do. */
export const cardprocAbout = {
  initiate: {
    id: 'initiate',
    summary: 'An order through the wrapper: answers the page to pay at',
    details,
    answer: initiated,
    refusals: ofOrders,
  },
  initiateCardproc: {
    id: 'initiateCardproc',
    summary: 'The same under the other path of the specification',
    details,
    answer: initiated,
    refusals: ofOrders,
  },
  submitOrder: {
    id: 'submitOrder',
    summary: 'An order through the card API: answers the page to pay at',
    details,
    answer: submitted,
    refusals: ofOrders,
  },
  transactionStatus: {
    id: 'transactionStatus',
    summary: 'How an order stands, for whoever knows its order_tracking_id',
    answer: status,
    refusals: ['PAYMENT_NOT_FOUND'],
  },
} satisfies Record<string, EndpointDescription>;

export const cardprocDescription: RailDescription = {
  about: 'Hosted checkout: a page for card, mobile money or bank payments',
  webhooks: [
    {
      id: 'hostedCheckoutUpdate',
      summary: 'How an order of the wrapper ended; merchants of the card API ask instead, or add an endpoint',
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
  OrderTrackingId: named("The processor's order", 'b945e4af-80a5-4ec1-8706-e03f8332fb04'),
  OrderMerchantReference: named('What the order was submitted as', 'b2c3f7c2'),
  OrderNotificationType: named('IPNCHANGE, or CALLBACKURL of a browser', 'IPNCHANGE'),
};

/** @param id of the operation: the processor notifies by either method. */
export const notificationAbout = (id: string): NotificationDescription => ({
  id,
  summary: "Takes the processor's notifications, of which none is believed",
  details: 'The parameters may come in the body, too, as JSON or as a form',
  query,
  answers: {
    200: {
      about: 'Heard',
      json: Joi.object({
        orderNotificationType: Joi.string().allow('').required(),
        orderTrackingId: Joi.string().allow('').required(),
        orderMerchantReference: Joi.string().allow('').required(),
        status: Joi.number().valid(200).required(),
      }),
    },
  },
  refusals: [],
});

export const callbackAbout: NotificationDescription = {
  id: 'hostedCheckoutReturn',
  summary: 'Asks the processor, and leads the customer on to the merchant',
  query,
  answers: {
    200: { about: 'A page, where the merchant has none', form: 'text/html' },
    302: { about: "The merchant's page" },
  },
  refusals: [],
};
