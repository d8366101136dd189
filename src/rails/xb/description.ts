/** What this rail's endpoints answer and its webhook tells, as openapi.json describes it. */
import Joi from 'joi';
import { feeInWordsFields } from '../../payments/transition/fees';
import {
  body,
  flag,
  maybe,
  moment,
  orNull,
  success,
  text,
  uuid,
  word,
  type BodyOf,
  type TypeOf,
} from '../../rail-kit/answer-fields';
import type {
  EndpointDescription,
  NotificationDescription,
  RailDescription,
} from '../../rail-kit/description';
import { nextStepFields } from '../../payments/read/next-step';
import { duplicateFields } from '../../payments/read/duplicates';
import { refusalsOfAcceptance } from '../../payments/read/refusals';
import { eventFields, sequenceField } from '../../rail-kit/fields';
import { xbNextSteps, xbState } from './status';

const states = ['COMPLETE', 'PENDING', 'PROCESSING', 'FAILED', 'CANCELLED', 'FAILED_VALIDATE'] as const;
const invoiceId = text('The invoice; match the webhook by it, or by api_ref', 'R5XQJ7Y');
const apiRef = text('Your api_ref, or the one that was made for you', 'INV-1');

const acceptance = body({
  success,
  data: body({
    invoice_id: invoiceId,
    state: word(['PENDING'], 'The customer is being asked'),
    api_ref: apiRef,
  }),
});

const invoice = {
  invoice_id: invoiceId,
  state: word(states, 'How it stands. Credit your customer on COMPLETE only'),
  value: text(
    'What was paid, or asked for while nothing is. A whole number of units of `currency`, as text',
    '5000',
    { max: 20 },
  ),
  api_ref: apiRef,
  currency: text('UGX or TZS', 'UGX'),
  mm_reference: text("The network's receipt, once known", 'MP240105.1200.A00001'),
  charges: text("The provider's charges, where it tells them. Decimal text", '150.00'),
  net_amount: text('What is left of it, where the provider tells it. Decimal text', '4850.00'),
};

const status = body({
  success,
  data: body({
    id: uuid('The payment'),
    invoice: body(invoice),
    ...duplicateFields,
    ...feeInWordsFields,
    is_final: flag('It has ended'),
    ...nextStepFields,
    correction: flag('It had ended otherwise before', { example: false }),
    failure_reason: orNull(text('Why it was not paid', 'The customer cancelled')),
    phone_number: text('The number that was asked', '256700000789'),
    ...sequenceField,
    created_at: moment('When it was taken'),
    updated_at: moment('When it changed last'),
  }),
});

const webhook = body({
  id: uuid('The payment'),
  invoice: body(invoice),
  ...duplicateFields,
  ...feeInWordsFields,
  ...eventFields('Cross-Border'),
  ...sequenceField,
  correction: maybe(flag('It was told to have ended otherwise before')),
});

export type XbAcceptance = TypeOf<typeof acceptance>;
export type XbInvoice = BodyOf<typeof invoice>;
export type XbStatus = TypeOf<typeof status>;
export type XbWebhook = TypeOf<typeof webhook>;

/** What openapi.json tells of the rail's endpoints, by what they do. */
export const xbAbout = {
  push: {
    id: 'xbStkPush',
    summary: 'Asks a customer in Uganda or Tanzania on the handset',
    details:
      'The result follows by webhook. `order_id`, `transaction_desc` and `metadata` are not taken here',
    answer: acceptance,
    refusals: [...refusalsOfAcceptance, 'INVALID_PHONE_NUMBER', 'AMOUNT_OUT_OF_RANGE', 'INVALID_AMOUNT'],
    refusalFields: {
      invoice_id: invoiceId.optional(),
      api_ref: apiRef.optional(),
      state: invoice.state.optional(),
    },
  },
  status: {
    id: 'xbStkPushStatus',
    summary: 'How that payment stands',
    details: 'Asked with one of `invoice_id`, `api_ref` and `payment_id`; of equal names the newest is told',
    answer: status,
    refusals: ['PAYMENT_NOT_FOUND'],
  },
} satisfies Record<string, EndpointDescription>;

export const xbDescription: RailDescription = {
  about: 'Cross-border STK push: a prompt on the handset of a customer in Uganda or Tanzania',
  webhooks: [
    {
      id: 'xbStkPushResult',
      summary: 'How a payment ended, or that it is being processed, which another follows',
      callbackType: 'Cross-Border',
      endpoint: 'webhook_url',
      body: webhook,
    },
  ],
  states: {
    deposit: {
      comesTo: ['pending', 'processing', 'succeeded', 'failed', 'cancelled'],
      reads: [['state', xbState]],
    },
  },
  reasons: xbNextSteps,
};

export const xbNotificationAbout: NotificationDescription = {
  id: 'xbNotification',
  summary: 'What became of an invoice at the provider',
  answers: { 200: { about: 'Heard', json: Joi.object({ success: Joi.boolean().valid(true).required() }) } },
  refusals: [],
};
