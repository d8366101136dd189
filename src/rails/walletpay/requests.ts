import Joi from 'joi';
import type { Currency } from '../../domain/money';
import { isMailAddress } from '../../mail/enqueue-mail';
import { noted } from '../../rail-kit/description';
import {
  amountField,
  currencyField,
  metadataField,
  optionalText,
  orderIdText,
  refuse,
  requiredText,
} from '../../rail-kit/fields';

/**
 * The currencies of merchants' requests. At the provider, the money is in USD (specification, Limits, wallet
 * create_order).
 */
export type WalletpayCurrency = 'USD' | 'KES';
const askedCurrencies: readonly Currency[] = ['USD', 'KES'];
/** The currencies of a merchant's wallet credit (specification, POST /api/v1/walletpay/create_order). */
const walletCurrencies: readonly string[] = ['USD', 'KES', 'TZS', 'UGX'] satisfies Currency[];

const aUuid = '01890a5d-ac96-774b-bcce-b302099a8057';

/** The provider's limits. */
const receiverLengthMax = 127;
const noteLengthMax = 4_000;

const orderId = orderIdText('Your reference. It identifies this request permanently', 'ORDER-1');

/** The merchant's object; its `preferred_currency` overrides the merchant's wallet currency for this order. */
const orderMetadata = metadataField((metadata) => {
  const preferred = preferredIn(metadata);
  return preferred === undefined || walletCurrencies.includes(preferred as string)
    ? undefined
    : {
        text: `preferred_currency must be one of ${walletCurrencies.join(', ')}`,
        code: 'UNSUPPORTED_CURRENCY',
      };
});

function preferredIn(metadata: Record<string, unknown>): unknown {
  return Object.hasOwn(metadata, 'preferred_currency') ? metadata['preferred_currency'] : undefined;
}

export function preferredCurrency(metadata: string | undefined): unknown {
  return metadata === undefined ? undefined : preferredIn(JSON.parse(metadata) as Record<string, unknown>);
}

export const orderBody = Joi.object({
  amount: amountField({ currency: { field: 'currency', among: askedCurrencies } }).required(),
  currency: currencyField(askedCurrencies).required().description('The currency of the amount'),
  order_id: orderId,
  metadata: orderMetadata,
});

export const payoutBody = Joi.object({
  amount: amountField({ currency: { field: 'currency', among: askedCurrencies } }).required(),
  currency: currencyField(askedCurrencies).required().description('The currency of the amount'),
  recipient_email: requiredText(receiverLengthMax)
    .meta(noted({ format: 'email' }))
    .description("The recipient's e-mail address")
    .example('amina@example.com')
    .custom((text: string, helpers) =>
      isMailAddress(text) ? text : refuse(helpers, 'must be a valid e-mail address'),
    ),
  order_id: orderId,
  note: optionalText(noteLengthMax, 'note')
    .description('A note that the recipient sees')
    .example('Your refund'),
  metadata: metadataField(),
});

/** `token` is the provider's order id, which the buyer's browser brings back. */
export const captureQuery = Joi.object({
  token: requiredText(120).description('The walletpay_order_id').example('5O190127TN364715T'),
  order_id: requiredText(500, 'known').description('Your reference').example('ORDER-1'),
});

/** `payment_id` is our transaction_id. Answers that know nothing more of an order, such as a 504, contain it. */
export const orderStatusQuery = Joi.object({
  walletpay_order_id: optionalText(120)
    .description("The provider's order id, from the answer to the order request")
    .example('5O190127TN364715T'),
  order_id: optionalText(500, 'known').description('Or your reference').example('ORDER-1'),
  payment_id: optionalText(36).description('Or the transaction_id of the order').example(aUuid),
}).or('walletpay_order_id', 'order_id', 'payment_id');

export const payoutStatusQuery = Joi.object({
  payout_id: optionalText(36).description('The payout, from the answer to its request').example(aUuid),
  order_id: optionalText(500, 'known').description('Or your reference').example('ORDER-1'),
}).or('payout_id', 'order_id');

/** The refund's own id, from the answer to its request. */
export const refundStatusQuery = Joi.object({
  transaction_id: requiredText(36).description('The refund, from the answer to its request').example(aUuid),
});

export interface OrderInput {
  amount: bigint;
  currency: WalletpayCurrency;
  order_id: string;
  metadata?: string;
}

export interface PayoutInput extends OrderInput {
  recipient_email: string;
  note?: string;
}
