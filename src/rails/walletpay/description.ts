/** The endpoints and webhooks of this rail for openapi.json. */
import Joi from 'joi';
import { returnedFields } from '../../payments/transition/reported-amounts';
import { normalizedWebhookFields } from '../../payments/transition/normalized-webhook';
import { errorCodesOfRefunds } from '../../payments/create/refund-request';
import { body } from '../../rail-kit/answer-fields';
import {
  codesAmong,
  type EndpointDescription,
  type NotificationDescription,
  type RailDescription,
} from '../../rail-kit/description';
import { errorCodesOfCreation, errorCodesOfPayouts } from '../../payments/read/creation-errors';
import {
  bulk,
  capture,
  order,
  orderStatus,
  orderStatuses,
  payout,
  payoutStatus,
  payoutStatuses,
  refund,
  refundId,
  refundNames,
  refundStatus,
} from './answer-schemas';
import { orderErrorCodes, payoutErrorCodes, refundErrorCodes } from './providers/paypal/error-codes';
import { orderStatus as wordOfOrder, payoutStatus as wordOfPayout, walletpayNextSteps } from './status';

const ofOrders = [...codesAmong(Object.values(orderErrorCodes)), ...errorCodesOfCreation];
const ofPayouts = [
  ...codesAmong(Object.values(payoutErrorCodes)),
  ...errorCodesOfPayouts,
  ...(['PERMISSION_REQUIRED', 'ORDER_ID_REUSED', 'RATE_UNAVAILABLE'] as const),
];

/** The rail's endpoints for openapi.json, by operation. */
export const walletpayAbout = {
  createOrder: {
    id: 'walletpayCreateOrder',
    summary: 'Create an order and get the page where the buyer approves it',
    details:
      'A repeat with the same `order_id` and body always gets the same answer. The minimum is 1.00 USD, or its value in KES',
    answer: order,
    errors: [...ofOrders, 'ORDER_ID_REUSED', 'RATE_UNAVAILABLE'],
  },
  capture: {
    id: 'walletpayCapture',
    summary: 'Capture the money of an approved order, once',
    answer: capture,
    errors: ['PAYMENT_NOT_FOUND', 'ORDER_NOT_APPROVED', 'ORDER_EXPIRED', 'ORDER_FAILED'],
    problemFields: {
      failure_code: Joi.string()
        .allow('')
        .description('Why the payment failed')
        .example('INSTRUMENT_DECLINED'),
    },
  },
  orderStatus: {
    id: 'walletpayOrderStatus',
    summary: 'Get the status of an order with its credited amount and rate',
    details: 'Requires one of `walletpay_order_id`, `order_id` and `payment_id`',
    answer: orderStatus,
    errors: ['PAYMENT_NOT_FOUND'],
  },
  createPayout: {
    id: 'walletpayCreatePayout',
    summary: 'Pay out from the float to an e-mail address',
    details: 'The merchant needs the permission `is_admin` or `can_payout`',
    answer: payout,
    errors: ofPayouts,
  },
  payoutStatus: {
    id: 'walletpayPayoutStatus',
    summary: 'Get the status of a payout',
    details: 'Requires `payout_id` or `order_id`',
    answer: payoutStatus,
    errors: ['PAYMENT_NOT_FOUND'],
  },
  refund: {
    id: 'walletpayRefund',
    summary: 'Refund a captured order, completely or in part',
    answer: refund,
    errors: [
      ...codesAmong(Object.values(refundErrorCodes)),
      ...errorCodesOfRefunds,
      ...errorCodesOfPayouts,
      ...(['REFUND_TOO_LATE', 'AMOUNT_OUT_OF_RANGE', 'RATE_UNAVAILABLE'] as const),
    ],
  },
  refundStatus: {
    id: 'walletpayRefundStatus',
    summary: 'Get the status of a refund',
    answer: refundStatus,
    errors: ['PAYMENT_NOT_FOUND'],
  },
} satisfies Record<string, EndpointDescription>;

export const walletpayBulkAbout = { answer: bulk, errors: ofPayouts };

const kind = 'Wallet-Checkout';
const endpoint = 'webhook_url';

export const walletpayDescription: RailDescription = {
  about: 'Wallet checkout: orders that a buyer approves on a page, and payouts to an e-mail address',
  webhooks: [
    {
      id: 'walletpayOrderUpdate',
      summary: 'The current state of an order, once for each status and for each refund',
      callbackType: kind,
      endpoint,
      body: body({ ...normalizedWebhookFields('walletpay', kind, orderStatuses), refund_id: refundId }),
    },
    {
      id: 'walletpayPayoutUpdate',
      summary: 'The result of a payout, or the news that the recipient must claim it',
      callbackType: kind,
      endpoint,
      body: body({ ...normalizedWebhookFields('walletpay', kind, payoutStatuses), ...returnedFields }),
    },
    {
      id: 'walletpayRefundUpdate',
      summary: 'The result of a refund',
      callbackType: kind,
      endpoint,
      body: body({
        ...normalizedWebhookFields('walletpay', kind, payoutStatuses),
        ...refundNames,
        ...returnedFields,
      }),
    },
  ],
  states: {
    deposit: {
      comesTo: ['pending', 'processing', 'succeeded', 'failed', 'timed_out', 'refunded', 'reversed'],
      reads: [['status', wordOfOrder]],
    },
    payout: {
      comesTo: ['processing', 'queued', 'succeeded', 'failed', 'returned'],
      reads: [['status', wordOfPayout]],
    },
  },
  reasons: walletpayNextSteps,
};

export const landingAbout: NotificationDescription = {
  id: 'walletpayDone',
  summary: 'Show a page to a buyer whose merchant has no page of its own',
  details: 'The page says nothing about the outcome',
  answers: { 200: { about: 'The page', form: 'text/html' } },
  errors: [],
};

export const webhookAbout: NotificationDescription = {
  id: 'walletpayWebhook',
  summary: "Receive the wallet provider's events, each processed once",
  answers: {
    200: {
      about: 'Acknowledged',
      json: Joi.object({
        success: Joi.boolean().valid(true).required(),
        status: Joi.string().valid('processed', 'duplicate', 'ignored').required(),
      }),
    },
  },
  errors: ['INVALID_SIGNATURE', 'INVALID_EVENT'],
};
