/** The answers and the webhook of this rail, as openapi.json describes them. */
import Joi from 'joi';
import { feeFields } from '../../payments/transition/fees';
import { nextStepFields } from '../../payments/read/next-step';
import { errorCodesOfCreation } from '../../payments/read/creation-errors';
import {
  amountNumber,
  body,
  flag,
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
import { eventFields, sequenceField } from '../../rail-kit/fields';
import { toyNextSteps, toyStatus, toyWords } from './status';

const result = {
  payment_id: uuid('The payment'),
  status: word(toyWords, 'The status'),
  amount: amountNumber('The requested amount, in KES'),
  ...feeFields,
  order_id: text('Your order_id', 'ORDER-1'),
  ...sequenceField,
};
const created = body({ success, data: body({ payment_id: uuid('The payment') }) });
const status = body({
  success,
  data: body({ ...result, is_final: flag('Whether the status is final'), ...nextStepFields }),
});
const webhook = body({ ...result, ...eventFields('Toy') });

export type ToyResult = BodyOf<typeof result>;
export type ToyCreated = TypeOf<typeof created>;
export type ToyStatus = TypeOf<typeof status>;
export type ToyWebhook = TypeOf<typeof webhook>;

export const toyAbout = {
  collect: {
    id: 'toyCollect',
    summary: 'Collect a payment from a customer of the toy bank',
    answer: created,
    errors: [...errorCodesOfCreation, 'AMOUNT_OUT_OF_RANGE', 'INVALID_AMOUNT'],
  },
  status: {
    id: 'toyStatus',
    summary: 'Get the status of a payment',
    answer: status,
    errors: ['PAYMENT_NOT_FOUND'],
  },
} satisfies Record<string, EndpointDescription>;

export const toyNotificationAbout: NotificationDescription = {
  id: 'toyNotification',
  summary: 'Receive a notification of the toy bank',
  answers: { 200: { about: 'Received', json: Joi.object({ ok: Joi.boolean().valid(true).required() }) } },
  errors: [],
};

export const toyDescription: RailDescription = {
  about: 'Toy bank: a customer of the toy bank pays in KES',
  webhooks: [
    {
      id: 'toyResult',
      summary: 'The result of a payment',
      callbackType: 'Toy',
      endpoint: 'webhook_url',
      body: webhook,
    },
  ],
  states: {
    deposit: { comesTo: ['pending', 'succeeded', 'failed'], reads: [['status', toyStatus]] },
  },
  reasons: toyNextSteps,
};
