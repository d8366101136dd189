/** The answers and the webhook of this rail, as openapi.json describes them. */
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
import { errorCodesOfCreation } from '../../payments/read/creation-errors';
import { errorCodes } from './providers/daraja/answers';
import { eventFields, sequenceField } from '../../rail-kit/fields';
import { stkResult } from './providers/daraja/result-codes';
import { stkNextSteps, stkStatus } from './status';

const stkWords = ['Success', 'Pending', 'Failed', 'Cancelled', 'Timeout'] as const;

const names = {
  payment_id: uuid('The payment. Query its status by this id'),
  merchant_request_id: text("The provider's id of the request, once known", '29115-34620561-1'),
  checkout_request_id: text("The provider's id of the prompt, once known", 'ws_CO_191220191020363925'),
};
const phone = text('The phone number of the prompt, as 254 and nine digits', '254708374149');
const orderId = text('Your order_id, or empty', 'ORDER-1');

const askedAmount = amountNumber('The amount of the prompt: the requested amount in whole shillings', 1250);

const acceptedShape = body({
  success,
  warnings: maybe(
    sentences(
      'Only in the sandbox: likely mistakes in the request, such as an amount with cents',
      'The prompt asks for 1250.00 KES of the requested 1250.50: the network accepts only whole shillings',
    ),
  ),
  message: text('What happens next, as a sentence', 'STK push sent. A webhook reports the result'),
  data: body({
    ...names,
    customer_message: text(
      "The provider's sentence for the customer, once known",
      'Success. Request accepted',
    ),
    amount: amountNumber('The requested amount in KES'),
    initial_amount: amountNumber('The same amount, under its name in the webhook and the status'),
    asked_amount: askedAmount,
    phone_number: phone,
    order_id: orderId,
  }),
});

const result = {
  ...names,
  status: word(stkWords, 'The status of the payment; Pending until it is final'),
  result_code: text(
    '0 success, 1 insufficient balance, 1032 cancelled by the user, 1037 no answer in time, 2001 credentials or account. Empty while the payment is open',
    '0',
  ),
  result_description: text('The result as a text', 'The service request is processed successfully.'),
  initial_amount: amountNumber('The requested amount in KES'),
  asked_amount: askedAmount,
  actual_amount: amountNumber('The paid and credited amount in KES; 0 before the payment'),
  ...feeFields,
  mm_receipt_number: text("The network's receipt, once known", 'NLJ7RT61SV'),
  transaction_date: text(
    "The time of the payment: yyyymmddhhmmss, by the network's clock (Africa/Nairobi)",
    '20260105120000',
  ),
  transaction_date_utc: maybe(moment('The same time; absent before the payment')),
  phone_number: phone,
  payer_phone: text('The paying phone number, if the network reports it', '254708374149'),
  payer_name: text('Always empty: the network reports no payer name on this rail', ''),
  account_reference: text('Your account_reference', 'INV-1'),
  order_id: orderId,
  ...duplicateFields,
  ...sequenceField,
};

const status = body({
  success,
  data: body({
    ...result,
    is_final: flag(
      'Whether the status is final. A payment that timed out may still be corrected for 72 hours',
    ),
    ...nextStepFields,
    correction: flag('Whether another final status was reported before', { example: false }),
    metadata: orNull(merchantsObject('Your metadata, or null')),
    created_at: moment('When the payment was created'),
    updated_at: moment('When the payment last changed'),
  }),
});

const webhook = body({
  ...result,
  status: word(
    ['Success', 'Failed', 'Cancelled', 'Timeout'],
    'The final status. Credit your customer on Success only',
  ),
  ...eventFields('STK-Push'),
  correction: maybe(flag('Whether another final status was reported before')),
  timestamp: wallClockText('When the payment changed'),
  timestamp_utc: maybe(moment('The same time')),
});

/** The data of each change, before and after the end, for additional endpoints and the event feed. */
const event = body({
  ...result,
  ...eventFields('STK-Push'),
  correction: webhook.extract('correction'),
  timestamp: webhook.extract('timestamp'),
  timestamp_utc: webhook.extract('timestamp_utc'),
});

export type StkAccepted = TypeOf<typeof acceptedShape>;
export type StkResult = BodyOf<typeof result>;
export type StkStatus = TypeOf<typeof status>;
export type StkWebhook = TypeOf<typeof webhook>;

export const stkPushAbout: EndpointDescription = {
  id: 'stkPush',
  summary: 'Send a payment prompt to a customer in Kenya',
  details:
    'The prompt asks for whole shillings: cents are cut off. A webhook reports the result. In the sandbox, 254708374149 pays, 254711223344 has too little money, 254722334455 cancels and 254733445566 does not answer',
  answer: acceptedShape,
  errors: [...errorCodesOfCreation, ...codesAmong(errorCodes.map(({ means }) => means))],
};

export const stkStatusAbout: EndpointDescription = {
  id: 'stkPushStatus',
  summary: 'Get the status of a payment',
  answer: status,
  errors: ['PAYMENT_NOT_FOUND'],
};

export const stkDescription: RailDescription = {
  about: 'STK push: a prompt on the handset of a customer in Kenya, in KES',
  webhooks: [
    {
      id: 'stkPushResult',
      summary: 'The result of a payment',
      callbackType: 'STK-Push',
      endpoint: 'webhook_url',
      body: webhook,
    },
    {
      id: 'stkPushEvent',
      summary: "A change of a payment's status",
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

/** A route for the provider's notifications. */
export const stkNotificationAbout = (id: string, summary: string): NotificationDescription => ({
  id,
  summary,
  answers: {
    200: { about: 'Acknowledged', json: taken },
    400: { about: 'The body is not a known notification', json: taken },
    403: { about: "The caller has none of the provider's addresses", json: taken },
    404: { about: 'The token is unknown', json: taken },
  },
  errors: [],
});
