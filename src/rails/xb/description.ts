/** The answers and the webhook of this rail, as openapi.json describes them. */
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
import { errorCodesOfCreation } from '../../payments/read/creation-errors';
import { eventFields, sequenceField } from '../../rail-kit/fields';
import { xbNextSteps, xbState } from './status';

const states = ['COMPLETE', 'PENDING', 'PROCESSING', 'FAILED', 'CANCELLED', 'FAILED_VALIDATE'] as const;
const invoiceId = text(
  'The invoice. Match the webhook by this id, or by api_ref',
  'AGND63RMIF5Y3HSSN4FBWLB5JY',
);
const apiRef = text('Your api_ref, or the one that the service created', 'INV-1');

const acceptedShape = body({
  success,
  data: body({
    invoice_id: invoiceId,
    state: word(['PENDING'], 'The status: the customer gets a payment prompt'),
    api_ref: apiRef,
  }),
});

const invoice = {
  invoice_id: invoiceId,
  state: word(states, 'The status. Credit your customer on COMPLETE only'),
  value: text(
    'The paid amount, or the requested amount before the payment. A whole number of units of `currency`, as text',
    '5000',
    { max: 20 },
  ),
  api_ref: apiRef,
  currency: text('UGX or TZS', 'UGX'),
  mm_reference: text("The network's receipt, once known", 'MP240105.1200.A00001'),
  charges: text("The provider's charges, if it reports them. Decimal text", '150.00'),
  net_amount: text('The amount after charges, if the provider reports it. Decimal text', '4850.00'),
};

const status = body({
  success,
  data: body({
    id: uuid('The payment'),
    invoice: body(invoice),
    ...duplicateFields,
    ...feeInWordsFields,
    is_final: flag('Whether the status is final'),
    ...nextStepFields,
    correction: flag('Whether another final status was reported before', { example: false }),
    failure_reason: orNull(text('Why the payment failed', 'The customer cancelled')),
    phone_number: text('The phone number of the prompt', '256700000789'),
    ...sequenceField,
    created_at: moment('When the payment was created'),
    updated_at: moment('When the payment last changed'),
  }),
});

const webhook = body({
  id: uuid('The payment'),
  invoice: body(invoice),
  ...duplicateFields,
  ...feeInWordsFields,
  ...eventFields('Cross-Border'),
  ...sequenceField,
  correction: maybe(flag('Whether another final status was reported before')),
});

export type XbAccepted = TypeOf<typeof acceptedShape>;
export type XbInvoice = BodyOf<typeof invoice>;
export type XbStatus = TypeOf<typeof status>;
export type XbWebhook = TypeOf<typeof webhook>;

/** The rail's endpoints for openapi.json, by operation. */
export const xbAbout = {
  push: {
    id: 'xbStkPush',
    summary: 'Send a payment prompt to a customer in Uganda or Tanzania',
    details:
      'A webhook reports the result. `order_id`, `transaction_desc` and `metadata` are not accepted here',
    answer: acceptedShape,
    errors: [...errorCodesOfCreation, 'INVALID_PHONE_NUMBER', 'AMOUNT_OUT_OF_RANGE', 'INVALID_AMOUNT'],
    problemFields: {
      invoice_id: invoiceId.optional(),
      api_ref: apiRef.optional(),
      state: invoice.state.optional(),
    },
  },
  status: {
    id: 'xbStkPushStatus',
    summary: 'Get the status of a payment',
    details:
      'Requires one of `invoice_id`, `api_ref` and `payment_id`. If several payments have the same name, the newest is returned',
    answer: status,
    errors: ['PAYMENT_NOT_FOUND'],
  },
} satisfies Record<string, EndpointDescription>;

export const xbDescription: RailDescription = {
  about: 'Cross-border STK push: a prompt on the handset of a customer in Uganda or Tanzania',
  webhooks: [
    {
      id: 'xbStkPushResult',
      summary: 'The result of a payment, or PROCESSING, after which another webhook follows',
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
  summary: 'Receive the result of an invoice',
  answers: {
    200: { about: 'Acknowledged', json: Joi.object({ success: Joi.boolean().valid(true).required() }) },
  },
  errors: [],
};
