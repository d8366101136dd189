/** What this rail's endpoints answer and its callback tells, as openapi.json describes it. */
import Joi from 'joi';
import type { Currency } from '../../domain/money';
import { bulkFields } from '../../payments/create/bulk/bulk-status';
import { heldFields } from '../../payments/read/on-hold';
import { feeInWordsFields } from '../../payments/transition/fees';
import { refusalsOfRefunds } from '../../payments/create/refund-request';
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
import { refusalsOfAcceptance, refusalsOfPayouts } from '../../payments/read/refusals';
import { refusals } from './providers/pawapay/failure-codes';
import { eventFields, sequenceField } from '../../rail-kit/fields';
import { momoNextSteps, momoWords } from './status';

const statuses = ['COMPLETED', 'ACCEPTED', 'PROCESSING', 'ENQUEUED', 'FAILED', 'CANCELLED'] as const;
const paymentStatuses = ['Success', 'Processing', 'Failed', 'Cancelled'] as const;

const transactionId = uuid('The transaction; ask for its status by it');
const network = {
  provider: text("The network's code", 'MTN_MOMO_ZMB'),
  country: text('ISO 3166 alpha-3', 'ZMB'),
};
const currency = currencyCode<Currency>('Of the amounts', 'ZMW');
const cancellable = maybe(flag('Whether a payout can be cancelled now', { example: false }));
const redirectUrl = maybe(
  url('Where to send the customer, where the network asks on a page', 'https://pay.example/authorise/1'),
);
const reference = text('Your account_reference', 'INV-1');
const networksId = text("The network's reference, once known", 'ABC123');
const failure = {
  failure_code: orNull(text('Why it failed', 'PAYER_LIMIT_REACHED')),
  failure_message: orNull(text('The same in words', 'The customer has reached a limit')),
};
const returned = { returned_amount: maybe(amountText('What came back of a payout that had succeeded')) };

const acceptance = body({
  success,
  transaction_id: transactionId,
  status: word(
    ['ACCEPTED', 'ENQUEUED'],
    'ENQUEUED where a payout waits: pending, and neither success nor failure',
  ),
  ...network,
  provider_name: text("The network's name", 'MTN'),
  provider_predicted: flag('The network was found by the number'),
  currency,
  amount: amountText('What you asked for'),
  cancellable,
  ...heldFields,
  message: text('What happens next, for a person', 'Payout accepted. The outcome follows by callback'),
  redirect_url: redirectUrl,
});

const status = body({
  success,
  transaction_id: transactionId,
  type: word(['deposit', 'payout', 'refund'], 'What it is'),
  status: word(statuses, 'How it stands'),
  is_final: flag('It has ended'),
  payment_status: word(paymentStatuses, 'How it stands, as the callback tells it'),
  ...nextStepFields,
  ...network,
  currency,
  requested_amount: amountText('What you asked for'),
  amount: amountText('What was paid: this counts'),
  ...returned,
  ...feeInWordsFields,
  provider_transaction_id: networksId,
  account_reference: reference,
  ...failure,
  ...duplicateFields,
  cancellable,
  ...heldFields,
  deposit_transaction_id: maybe(uuid('What a refund gives back')),
  redirect_url: redirectUrl,
  ...sequenceField,
  created_at: moment('When it was taken'),
  updated_at: moment('When it changed last'),
});

const refund = body({
  success,
  transaction_id: uuid("The refund's own; ask for its status by it"),
  deposit_transaction_id: orNull(uuid('What it gives back')),
  type: word(['refund'], 'What it is'),
  status: word(['ACCEPTED'], 'It is on its way'),
  amount: amountText('What is given back'),
  currency,
  message: text('What happens next, for a person', 'Refund accepted. The outcome follows by callback'),
});

const cancelled = body({
  success,
  transaction_id: transactionId,
  type: word(['payout'], 'What it is'),
  status: word(['CANCELLED'], 'It will not be paid'),
  is_final: flag('It has ended'),
  message: text('The same for a person', 'Payout cancelled; the amount is back in your float'),
});

const limits = body({
  min_amount: text('The least, in units of `currency`. Decimal text', '1', { max: 20 }),
  max_amount: text('The most, in units of `currency`. Decimal text', '20000', { max: 20 }),
  decimals: Joi.number()
    .valid(0, 2)
    .required()
    .description('How many decimals an amount may have')
    .example(2),
  status: word(['OPERATIONAL', 'DELAYED', 'CLOSED'], 'How the network stands with it'),
});

const providers = body({
  success,
  providers: listOf(
    body({
      ...network,
      provider_name: text("The network's name", 'MTN'),
      country_name: text('The country in English', 'Zambia'),
      currency,
      requires_redirect: flag('The customer must be sent to redirect_url', { example: false }),
      requires_preauth: flag('A deposit needs a preauth_code', { example: false }),
      operations: tableOf(limits, 'Limits for each of deposit, payout and refund that it does'),
    }),
    'The networks, one for each currency',
  ),
});

const bulk = body({
  success,
  ...bulkFields(
    {
      transaction_id: transactionId,
      account_reference: reference,
      phone_number: text('The recipient', '+260763456789'),
      ...network,
      ...nextStepFields,
      ...failure,
      ...heldFields,
    },
    { amount: amountText, statuses: paymentStatuses },
  ),
  message: maybe(text('What happens next, for a person', 'Payouts accepted')),
});

const callback = body({
  transaction_id: transactionId,
  type: word(['deposit', 'payout', 'refund'], 'What it is'),
  status: word(
    paymentStatuses,
    'How it stands. Act on Success only; Processing is neither success nor failure',
  ),
  ...network,
  currency,
  requested_amount: amountText('What you asked for'),
  amount: amountText('What was paid: this counts'),
  ...returned,
  ...feeInWordsFields,
  phone_number: text('The customer, or the recipient, in international format', '+260763456789'),
  provider_transaction_id: networksId,
  account_reference: reference,
  ...failure,
  ...duplicateFields,
  ...eventFields('Mobile-Money'),
  ...sequenceField,
  correction: maybe(flag('It was told to have ended otherwise before')),
  updated_at: moment('When it changed'),
  timestamp: moment('When it was sent, and not when it happened'),
});

export type MomoAcceptance = TypeOf<typeof acceptance>;
export type MomoStatus = TypeOf<typeof status>;
export type MomoRefund = TypeOf<typeof refund>;
export type MomoCancelled = TypeOf<typeof cancelled>;
export type MomoProviders = TypeOf<typeof providers>;
export type MomoCallback = TypeOf<typeof callback>;

const ofProvider = codesAmong(Object.values(refusals));
const ofNetwork = [
  ...(['COUNTRY_NOT_SUPPORTED', 'PROVIDER_NOT_FOUND', 'UNSUPPORTED_CURRENCY'] as const),
  ...(['INVALID_AMOUNT', 'AMOUNT_OUT_OF_RANGE'] as const),
];

/** What openapi.json tells of the rail's endpoints, by what they do. */
export const momoAbout = {
  deposit: {
    id: 'momoDeposit',
    summary: 'Collects from a mobile-money customer',
    details:
      'The outcome follows by callback. Where `redirect_url` is answered, the customer must be sent there',
    answer: acceptance,
    refusals: ['PREAUTH_CODE_REQUIRED', ...ofNetwork, ...ofProvider, ...refusalsOfAcceptance],
  },
  payout: {
    id: 'momoPayout',
    summary: 'Pays out of the float of a country and currency',
    answer: acceptance,
    refusals: [...ofNetwork, ...ofProvider, ...refusalsOfPayouts],
  },
  cancelPayout: {
    id: 'momoCancelPayout',
    summary: 'Cancels a payout that its network has not begun',
    answer: cancelled,
    refusals: ['PAYMENT_NOT_FOUND', 'PAYOUT_NOT_CANCELLABLE', 'CANCELLATION_IN_PROGRESS'],
  },
  refund: {
    id: 'momoRefund',
    summary: 'Gives a deposit back, or a part of it',
    answer: refund,
    refusals: [...ofNetwork, ...refusalsOfRefunds, ...ofProvider, ...refusalsOfPayouts],
  },
  status: {
    id: 'momoStatus',
    summary: 'How a deposit, payout or refund stands',
    answer: status,
    refusals: ['PAYMENT_NOT_FOUND'],
  },
  providers: {
    id: 'momoProviders',
    summary: 'The networks, their limits and what they ask for',
    answer: providers,
    refusals: ['PROVIDER_UNAVAILABLE'],
  },
} satisfies Record<string, EndpointDescription>;

export const momoBulkAbout = { answer: bulk, refusals: momoAbout.payout.refusals };

const statusWords: DescribedStates['reads'] = [
  ['status', ({ state }) => momoWords[state].status],
  ['payment_status', ({ state }) => momoWords[state].paymentStatus],
];

export const momoDescription: RailDescription = {
  about: 'Mobile money: deposits, payouts and refunds in many countries',
  webhooks: [
    {
      id: 'momoCallback',
      summary: 'How a deposit, payout or refund ended, and that a payout is queued',
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
  summary: "Where a customer lands after a network's page when the merchant has none",
  details: 'It says nothing about the outcome',
  answers: { 200: { about: 'A sentence', form: 'text/plain' } },
  refusals: [],
};

/** @param id of the operation: the rail that it is for may be another. */
export const transactionNotificationAbout = (id: string): NotificationDescription => ({
  id,
  summary: 'What became of a transaction at the network',
  answers: { 200: { about: 'Taken', json: Joi.object({ success: Joi.boolean().valid(true).required() }) } },
  refusals: ['INVALID_SIGNATURE', 'INVALID_EVENT'],
});
