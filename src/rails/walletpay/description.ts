/** What openapi.json tells of this rail's endpoints and webhooks. */
import Joi from 'joi';
import { returnedFields } from '../../payments/transition/reported-amounts';
import { normalizedWebhookFields } from '../../payments/transition/normalized-webhook';
import { refusalsOfRefunds } from '../../payments/create/refund-request';
import { body } from '../../rail-kit/answer-fields';
import {
  codesAmong,
  type EndpointDescription,
  type NotificationDescription,
  type RailDescription,
} from '../../rail-kit/description';
import { refusalsOfAcceptance, refusalsOfPayouts } from '../../payments/read/refusals';
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
import { orderRefusals, payoutRefusals, refundRefusals } from './providers/paypal/refusals';
import { orderStatus as wordOfOrder, payoutStatus as wordOfPayout, walletpayNextSteps } from './status';

const ofOrders = [...codesAmong(Object.values(orderRefusals)), ...refusalsOfAcceptance];
const ofPayouts = [
  ...codesAmong(Object.values(payoutRefusals)),
  ...refusalsOfPayouts,
  ...(['PERMISSION_REQUIRED', 'ORDER_ID_REUSED', 'RATE_UNAVAILABLE'] as const),
];

/** What openapi.json tells of the rail's endpoints, by what they do. */
export const walletpayAbout = {
  createOrder: {
    id: 'walletpayCreateOrder',
    summary: 'Makes an order, and answers the page where the buyer approves it',
    details:
      'The same `order_id` with the same body is answered as it was, for ever. At least 1.00 USD, or as much in KES',
    answer: order,
    refusals: [...ofOrders, 'ORDER_ID_REUSED', 'RATE_UNAVAILABLE'],
  },
  capture: {
    id: 'walletpayCapture',
    summary: 'Takes the money of an approved order, once',
    answer: capture,
    refusals: ['PAYMENT_NOT_FOUND', 'ORDER_NOT_APPROVED', 'ORDER_EXPIRED', 'ORDER_FAILED'],
    refusalFields: {
      failure_code: Joi.string()
        .allow('')
        .description('Why the payment failed')
        .example('INSTRUMENT_DECLINED'),
    },
  },
  orderStatus: {
    id: 'walletpayOrderStatus',
    summary: 'How an order stands, and what was credited at which rate',
    details: 'Asked with one of `walletpay_order_id`, `order_id` and `payment_id`',
    answer: orderStatus,
    refusals: ['PAYMENT_NOT_FOUND'],
  },
  createPayout: {
    id: 'walletpayCreatePayout',
    summary: 'Pays an e-mail address out of the float',
    details: 'The merchant needs the permission `is_admin` or `can_payout`',
    answer: payout,
    refusals: ofPayouts,
  },
  payoutStatus: {
    id: 'walletpayPayoutStatus',
    summary: 'How a payout stands',
    details: 'Asked with `payout_id` or `order_id`',
    answer: payoutStatus,
    refusals: ['PAYMENT_NOT_FOUND'],
  },
  refund: {
    id: 'walletpayRefund',
    summary: 'Gives a captured order back, or a part of it',
    answer: refund,
    refusals: [
      ...codesAmong(Object.values(refundRefusals)),
      ...refusalsOfRefunds,
      ...refusalsOfPayouts,
      ...(['REFUND_TOO_LATE', 'AMOUNT_OUT_OF_RANGE', 'RATE_UNAVAILABLE'] as const),
    ],
  },
  refundStatus: {
    id: 'walletpayRefundStatus',
    summary: 'How a refund stands',
    answer: refundStatus,
    refusals: ['PAYMENT_NOT_FOUND'],
  },
} satisfies Record<string, EndpointDescription>;

export const walletpayBulkAbout = { answer: bulk, refusals: ofPayouts };

const kind = 'Wallet-Checkout';
const endpoint = 'webhook_url';

export const walletpayDescription: RailDescription = {
  about: 'Wallet checkout: orders that a buyer approves on a page, and payouts to an e-mail address',
  webhooks: [
    {
      id: 'walletpayOrderUpdate',
      summary: 'How an order stands now, once for each status and for each refund',
      callbackType: kind,
      endpoint,
      body: body({ ...normalizedWebhookFields('walletpay', kind, orderStatuses), refund_id: refundId }),
    },
    {
      id: 'walletpayPayoutUpdate',
      summary: 'How a payout ended, or that it waits to be claimed',
      callbackType: kind,
      endpoint,
      body: body({ ...normalizedWebhookFields('walletpay', kind, payoutStatuses), ...returnedFields }),
    },
    {
      id: 'walletpayRefundUpdate',
      summary: 'How a refund ended',
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
  summary: 'Where a buyer lands whose merchant has no page of its own',
  details: 'It says nothing about the outcome',
  answers: { 200: { about: 'A page', form: 'text/html' } },
  refusals: [],
};

export const webhookAbout: NotificationDescription = {
  id: 'walletpayWebhook',
  summary: "Takes the wallet provider's events, once each",
  answers: {
    200: {
      about: 'Taken',
      json: Joi.object({
        success: Joi.boolean().valid(true).required(),
        status: Joi.string().valid('processed', 'duplicate', 'ignored').required(),
      }),
    },
  },
  refusals: ['INVALID_SIGNATURE', 'INVALID_EVENT'],
};
