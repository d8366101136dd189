/** What this rail's endpoints answer and its webhook tells, as openapi.json describes it. */
import Joi from 'joi';
import {
  amountNumber,
  body,
  flag,
  maybe,
  merchantsObject,
  moment,
  orNull,
  sentences,
  success,
  text,
  uuid,
  wallClockText,
  word,
  type BodyOf,
  type TypeOf,
} from '../../rail-kit/answer-fields';
import {
  codesAmong,
  type EndpointDescription,
  type NotificationDescription,
  type RailDescription,
} from '../../rail-kit/description';
import { feeFields } from '../../payments/transition/fees';
import { nextStepFields } from '../../payments/read/next-step';
import { duplicateFields } from '../../payments/read/duplicates';
import { refusalsOfAcceptance } from '../../payments/read/refusals';
import { refusals } from './providers/daraja/answers';
import { eventFields, sequenceField } from '../../rail-kit/fields';
import { stkResult } from './providers/daraja/result-codes';
import { stkNextSteps, stkStatus } from './status';

const stkWords = ['Success', 'Pending', 'Failed', 'Cancelled', 'Timeout'] as const;

const names = {
  payment_id: uuid('The payment; ask for its status by it'),
  merchant_request_id: text("The provider's name of the request, once known", '29115-34620561-1'),
  checkout_request_id: text("The provider's name of the prompt, once known", 'ws_CO_191220191020363925'),
};
const phone = text('The number that was asked, as 254 and nine digits', '254708374149');
const orderId = text('Your order_id, or empty', 'ORDER-1');

const askedAmount = amountNumber('What the customer is asked for: the whole shillings of it', 1250);

const acceptance = body({
  success,
  warnings: maybe(
    sentences(
      'In the sandbox alone: what you may not have meant, such as an amount with cents',
      'The customer is asked for 1250.00 KES of the 1250.50: the network takes whole shillings only',
    ),
  ),
  message: text('What happens next, for a person', 'STK push sent. The result follows by webhook'),
  data: body({
    ...names,
    customer_message: text(
      "The provider's sentence for the customer, once known",
      'Success. Request accepted',
    ),
    amount: amountNumber('What you asked for, in KES'),
    initial_amount: amountNumber('The same, as the webhook and the status name it'),
    asked_amount: askedAmount,
    phone_number: phone,
    order_id: orderId,
  }),
});

const result = {
  ...names,
  status: word(stkWords, 'How it stands; Pending until it has ended'),
  result_code: text(
    '0 success, 1 insufficient balance, 1032 cancelled by the user, 1037 no answer in time, 2001 credentials or account; empty while it is open',
    '0',
  ),
  result_description: text('The same in words', 'The service request is processed successfully.'),
  initial_amount: amountNumber('What you asked for, in KES'),
  asked_amount: askedAmount,
  actual_amount: amountNumber('What was paid, in KES, and is credited; 0 while nothing is'),
  ...feeFields,
  mm_receipt_number: text("The network's receipt, once known", 'NLJ7RT61SV'),
  transaction_date: text(
    "When it was paid: yyyymmddhhmmss, by the network's clock (Africa/Nairobi)",
    '20260105120000',
  ),
  transaction_date_utc: maybe(moment('The same moment; missing while there is none')),
  phone_number: phone,
  payer_phone: text('The number that paid, where the network tells it', '254708374149'),
  payer_name: text('Empty: the network names no payer on this rail', ''),
  account_reference: text('Your account_reference', 'INV-1'),
  order_id: orderId,
  ...duplicateFields,
  ...sequenceField,
};

const status = body({
  success,
  data: body({
    ...result,
    is_final: flag('It has ended. A payment that timed out may still be corrected for 72 hours'),
    ...nextStepFields,
    correction: flag('It had ended otherwise before', { example: false }),
    metadata: orNull(merchantsObject('Your metadata, or null')),
    created_at: moment('When it was taken'),
    updated_at: moment('When it changed last'),
  }),
});

const webhook = body({
  ...result,
  status: word(
    ['Success', 'Failed', 'Cancelled', 'Timeout'],
    'How it ended. Credit your customer on Success only',
  ),
  ...eventFields('STK-Push'),
  correction: maybe(flag('It was told to have ended otherwise before')),
  timestamp: wallClockText('When it changed'),
  timestamp_utc: maybe(moment('The same moment')),
});

/** Before the end, and after it: what further endpoints, and the feed, tell of each change. */
const event = body({
  ...result,
  ...eventFields('STK-Push'),
  correction: webhook.extract('correction'),
  timestamp: webhook.extract('timestamp'),
  timestamp_utc: webhook.extract('timestamp_utc'),
});

export type StkAcceptance = TypeOf<typeof acceptance>;
export type StkResult = BodyOf<typeof result>;
export type StkStatus = TypeOf<typeof status>;
export type StkWebhook = TypeOf<typeof webhook>;

export const stkPushAbout: EndpointDescription = {
  id: 'stkPush',
  summary: 'Asks a customer in Kenya on the handset',
  details:
    'The customer is asked for whole shillings: cents are cut off. The result follows by webhook. In the sandbox 254708374149 pays, 254711223344 lacks the money, 254722334455 cancels and 254733445566 does not answer',
  answer: acceptance,
  refusals: [...refusalsOfAcceptance, ...codesAmong(refusals.map(({ means }) => means))],
};

export const stkStatusAbout: EndpointDescription = {
  id: 'stkPushStatus',
  summary: 'How that payment stands',
  answer: status,
  refusals: ['PAYMENT_NOT_FOUND'],
};

export const stkDescription: RailDescription = {
  about: 'STK push: a prompt on the handset of a customer in Kenya, in KES',
  webhooks: [
    {
      id: 'stkPushResult',
      summary: 'How a payment ended',
      callbackType: 'STK-Push',
      endpoint: 'webhook_url',
      body: webhook,
    },
    {
      id: 'stkPushEvent',
      summary: 'How a payment stands: each change of it',
      callbackType: 'STK-Push',
      endpoint: 'webhook_endpoint',
      body: event,
    },
  ],
  states: {
    deposit: {
      comesTo: ['pending', 'succeeded', 'failed', 'cancelled', 'timed_out'],
      reads: [['status', ({ state }) => stkStatus[state]]],
    },
  },
  reasons: stkNextSteps,
  meaningOf: (reason) => stkResult[reason]?.what ?? '',
};

/** The provider's acknowledgement, and its opposite. */
const taken = Joi.object({
  ResultCode: Joi.number().valid(0, 1).required(),
  ResultDesc: Joi.string().required(),
});

/** A route on which the provider tells of something. */
export const stkNotificationAbout = (id: string, summary: string): NotificationDescription => ({
  id,
  summary,
  answers: {
    200: { about: 'Taken', json: taken },
    400: { about: 'Not what is expected here', json: taken },
    403: { about: "Not one of the provider's addresses", json: taken },
    404: { about: 'Nothing is known by that name', json: taken },
  },
  refusals: [],
});
