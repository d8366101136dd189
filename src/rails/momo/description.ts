/** The answers and the callback of this rail, as openapi.json describes them. */
import Joi from 'joi';
import type { Currency } from '../../domain/money';
import { bulkFields } from '../../payments/create/bulk/bulk-status';
import { heldFields } from '../../payments/read/on-hold';
import { feeInWordsFields } from '../../payments/transition/fees';
import { errorCodesOfRefunds } from '../../payments/create/refund-request';
import {
  amountText,
  body,
  currencyCode,
  flag,
  listOf,
  maybe,
  moment,
  orNull,
  success,
  tableOf,
  text,
  url,
  uuid,
  word,
  type TypeOf,
} from '../../rail-kit/answer-fields';
import {
  codesAmong,
  type EndpointDescription,
  type NotificationDescription,
  type DescribedStates,
  type RailDescription,
} from '../../rail-kit/description';
import { nextStepFields } from '../../payments/read/next-step';
import { duplicateFields } from '../../payments/read/duplicates';
import { errorCodesOfCreation, errorCodesOfPayouts } from '../../payments/read/creation-errors';
import { errorCodes } from './providers/pawapay/failure-codes';
import { eventFields, sequenceField } from '../../rail-kit/fields';
import { momoNextSteps, momoWords } from './status';

const statuses = ['COMPLETED', 'ACCEPTED', 'PROCESSING', 'ENQUEUED', 'FAILED', 'CANCELLED'] as const;
const paymentStatuses = ['Success', 'Processing', 'Failed', 'Cancelled'] as const;

const transactionId = uuid('The transaction. Query its status by this id');
const network = {
  provider: text("The network's provider code", 'MTN_MOMO_ZMB'),
  country: text('ISO 3166 alpha-3', 'ZMB'),
};
const currency = currencyCode<Currency>('The currency of the amounts', 'ZMW');
const cancellable = maybe(flag('Whether a payout can be cancelled now', { example: false }));
const redirectUrl = maybe(
  url(
    'The page to which you must send the customer, if the network requires a page',
    'https://pay.example/authorise/1',
  ),
);
const reference = text('Your account_reference', 'INV-1');
const networksId = text("The network's reference, once known", 'ABC123');
const failure = {
  failure_code: orNull(text('The failure code', 'PAYER_LIMIT_REACHED')),
  failure_message: orNull(text('The failure reason as a text', 'The customer has reached a limit')),
};
const returned = {
  returned_amount: maybe(amountText('The amount that was returned after the payout succeeded')),
};

const acceptedShape = body({
  success,
  transaction_id: transactionId,
  status: word(
    ['ACCEPTED', 'ENQUEUED'],
    'The status. A queued payout is ENQUEUED: pending, neither success nor failure',
  ),
  ...network,
  provider_name: text("The network's name", 'MTN'),
  provider_predicted: flag('Whether the network was detected from the phone number'),
  currency,
  amount: amountText('The requested amount'),
  cancellable,
  ...heldFields,
  message: text('What happens next, as a sentence', 'Payout accepted. A callback reports the outcome'),
  redirect_url: redirectUrl,
});

const status = body({
  success,
  transaction_id: transactionId,
  type: word(['deposit', 'payout', 'refund'], 'The type of the transaction'),
  status: word(statuses, 'The status of the transaction'),
  is_final: flag('Whether the status is final'),
  payment_status: word(paymentStatuses, 'The status in the words of the callback'),
  ...nextStepFields,
  ...network,
  currency,
  requested_amount: amountText('The requested amount'),
  amount: amountText('The confirmed amount, which is authoritative'),
  ...returned,
  ...feeInWordsFields,
  provider_transaction_id: networksId,
  account_reference: reference,
  ...failure,
  ...duplicateFields,
  cancellable,
  ...heldFields,
  deposit_transaction_id: maybe(uuid('The deposit of a refund')),
  redirect_url: redirectUrl,
  ...sequenceField,
  created_at: moment('When the transaction was created'),
  updated_at: moment('When the transaction last changed'),
});

const refund = body({
  success,
  transaction_id: uuid("The refund's own id. Query its status by this id"),
  deposit_transaction_id: orNull(uuid('The refunded deposit')),
  type: word(['refund'], 'The type of the transaction'),
  status: word(['ACCEPTED'], 'The status: the refund is in progress'),
  amount: amountText('The amount of the refund'),
  currency,
  message: text('What happens next, as a sentence', 'Refund accepted. A callback reports the outcome'),
});

const cancelled = body({
  success,
  transaction_id: transactionId,
  type: word(['payout'], 'The type of the transaction'),
  status: word(['CANCELLED'], 'The status: the payout will not be paid'),
  is_final: flag('Whether the status is final'),
  message: text('The result as a sentence', 'Payout cancelled; the amount was returned to your float'),
});

const limits = body({
  min_amount: text('The minimum, in units of `currency`. Decimal text', '1', { max: 20 }),
  max_amount: text('The maximum, in units of `currency`. Decimal text', '20000', { max: 20 }),
  decimals: Joi.number()
    .valid(0, 2)
    .required()
    .description('The number of decimals that an amount may have')
    .example(2),
  status: word(['OPERATIONAL', 'DELAYED', 'CLOSED'], 'Whether the network accepts the operation'),
});

const providers = body({
  success,
  providers: listOf(
    body({
      ...network,
      provider_name: text("The network's name", 'MTN'),
      country_name: text('The country in English', 'Zambia'),
      currency,
      requires_redirect: flag('Whether you must send the customer to redirect_url', { example: false }),
      requires_preauth: flag('Whether a deposit needs a preauth_code', { example: false }),
      operations: tableOf(limits, 'The limits of each supported operation: deposit, payout and refund'),
    }),
    'The networks, one entry per currency',
  ),
});

const bulk = body({
  success,
  ...bulkFields(
    {
      transaction_id: transactionId,
      account_reference: reference,
      phone_number: text("The recipient's phone number", '+260763456789'),
      ...network,
      ...nextStepFields,
      ...failure,
      ...heldFields,
    },
    { amount: amountText, statuses: paymentStatuses },
  ),
  message: maybe(text('What happens next, as a sentence', 'Payouts accepted')),
});

const callback = body({
  transaction_id: transactionId,
  type: word(['deposit', 'payout', 'refund'], 'The type of the transaction'),
  status: word(paymentStatuses, 'The status. Act on Success only. Processing is neither success nor failure'),
  ...network,
  currency,
  requested_amount: amountText('The requested amount'),
  amount: amountText('The confirmed amount, which is authoritative'),
  ...returned,
  ...feeInWordsFields,
  phone_number: text(
    'The phone number of the customer or recipient, in international format',
    '+260763456789',
  ),
  provider_transaction_id: networksId,
  account_reference: reference,
  ...failure,
  ...duplicateFields,
  ...eventFields('Mobile-Money'),
  ...sequenceField,
  correction: maybe(flag('Whether another final status was reported before')),
  updated_at: moment('When the transaction last changed'),
  timestamp: moment('When the callback was sent, not when the transaction changed'),
});

export type MomoAccepted = TypeOf<typeof acceptedShape>;
export type MomoStatus = TypeOf<typeof status>;
export type MomoRefund = TypeOf<typeof refund>;
export type MomoCancelled = TypeOf<typeof cancelled>;
export type MomoProviders = TypeOf<typeof providers>;
export type MomoCallback = TypeOf<typeof callback>;

const ofProvider = codesAmong(Object.values(errorCodes));
const ofNetwork = [
  ...(['COUNTRY_NOT_SUPPORTED', 'PROVIDER_NOT_FOUND', 'UNSUPPORTED_CURRENCY'] as const),
  ...(['INVALID_AMOUNT', 'AMOUNT_OUT_OF_RANGE'] as const),
];

/** The rail's endpoints for openapi.json, by operation. */
export const momoAbout = {
  deposit: {
    id: 'momoDeposit',
    summary: 'Collect a payment from a mobile-money customer',
    details:
      'A callback reports the outcome. If the answer has a `redirect_url`, you must send the customer there',
    answer: acceptedShape,
    errors: ['PREAUTH_CODE_REQUIRED', ...ofNetwork, ...ofProvider, ...errorCodesOfCreation],
  },
  payout: {
    id: 'momoPayout',
    summary: 'Pay out from the float of a country and currency',
    answer: acceptedShape,
    errors: [...ofNetwork, ...ofProvider, ...errorCodesOfPayouts],
  },
  cancelPayout: {
    id: 'momoCancelPayout',
    summary: 'Cancel a payout that its network has not started',
    answer: cancelled,
    errors: ['PAYMENT_NOT_FOUND', 'PAYOUT_NOT_CANCELLABLE', 'CANCELLATION_IN_PROGRESS'],
  },
  refund: {
    id: 'momoRefund',
    summary: 'Refund a deposit, completely or in part',
    answer: refund,
    errors: [...ofNetwork, ...errorCodesOfRefunds, ...ofProvider, ...errorCodesOfPayouts],
  },
  status: {
    id: 'momoStatus',
    summary: 'Get the status of a deposit, payout or refund',
    answer: status,
    errors: ['PAYMENT_NOT_FOUND'],
  },
  providers: {
    id: 'momoProviders',
    summary: 'List the networks with their limits and requirements',
    answer: providers,
    errors: ['PROVIDER_UNAVAILABLE'],
  },
} satisfies Record<string, EndpointDescription>;

export const momoBulkAbout = { answer: bulk, errors: momoAbout.payout.errors };

const statusWords: DescribedStates['reads'] = [
  ['status', ({ state }) => momoWords[state].status],
  ['payment_status', ({ state }) => momoWords[state].paymentStatus],
];

export const momoDescription: RailDescription = {
  about: 'Mobile money: deposits, payouts and refunds in many countries',
  webhooks: [
    {
      id: 'momoCallback',
      summary: 'The result of a deposit, payout or refund, or the news that a payout is queued',
      callbackType: 'Mobile-Money',
      endpoint: 'callback_url',
      body: callback,
    },
  ],
  states: {
    deposit: {
      comesTo: ['pending', 'processing', 'succeeded', 'failed', 'cancelled', 'refunded'],
      reads: statusWords,
    },
    payout: {
      comesTo: ['pending', 'queued', 'processing', 'succeeded', 'failed', 'cancelled', 'returned'],
      reads: statusWords,
    },
  },
  reasons: momoNextSteps,
};

export const landingAbout: NotificationDescription = {
  id: 'momoDone',
  summary: "Show a page to a customer who returns from a network's page, if the merchant has none",
  details: 'The page says nothing about the outcome',
  answers: { 200: { about: 'The page, one sentence of text', form: 'text/plain' } },
  errors: [],
};

/** @param id the operation id; the notification may be for another rail. */
export const transactionNotificationAbout = (id: string): NotificationDescription => ({
  id,
  summary: 'Receive the result of a transaction',
  answers: {
    200: { about: 'Acknowledged', json: Joi.object({ success: Joi.boolean().valid(true).required() }) },
  },
  errors: ['INVALID_SIGNATURE', 'INVALID_EVENT'],
});
