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

/** What a merchant may ask in. The provider itself moves USD (specification, Limits, wallet create_order). */
export type WalletpayCurrency = 'USD' | 'KES';
const askedCurrencies: readonly Currency[] = ['USD', 'KES'];
/** What a merchant's wallet may be credited in (specification, POST /api/v1/walletpay/create_order). */
const walletCurrencies: readonly string[] = ['USD', 'KES', 'TZS', 'UGX'] satisfies Currency[];

const aUuid = '01890a5d-ac96-774b-bcce-b302099a8057';

/** The provider's limits. */
const receiverLengthMax = 127;
const noteLengthMax = 4_000;

const orderId = orderIdText('Your reference: it stands for this request for ever', 'ORDER-1');

/** The merchant's object; `preferred_currency` in it overrides the merchant's wallet currency for this order. */
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
  currency: currencyField(askedCurrencies).required().description('Of the amount'),
  order_id: orderId,
  metadata: orderMetadata,
});

export const payoutBody = Joi.object({
  amount: amountField({ currency: { field: 'currency', among: askedCurrencies } }).required(),
  currency: currencyField(askedCurrencies).required().description('Of the amount'),
  recipient_email: requiredText(receiverLengthMax)
    .meta(noted({ format: 'email' }))
    .description('Who is paid')
    .example('amina@example.com')
    .custom((text: string, helpers) =>
      isMailAddress(text) ? text : refuse(helpers, 'must be a valid e-mail address'),
    ),
  order_id: orderId,
  note: optionalText(noteLengthMax, 'note').description('Shown to the recipient').example('Your refund'),
  metadata: metadataField(),
});

/** `token` is the provider's order id, as it comes with the buyer's browser. */
export const captureQuery = Joi.object({
  token: requiredText(120).description('The walletpay_order_id').example('5O190127TN364715T'),
  order_id: requiredText(500, 'known').description('Your reference').example('ORDER-1'),
});

/** `payment_id` is our transaction_id: what an answer names that knows no more of an order, a 504 among them. */
export const orderStatusQuery = Joi.object({
  walletpay_order_id: optionalText(120)
    .description("The provider's order, as its acceptance names it")
    .example('5O190127TN364715T'),
  order_id: optionalText(500, 'known').description('Or your reference').example('ORDER-1'),
  payment_id: optionalText(36).description('Or its transaction_id').example(aUuid),
}).or('walletpay_order_id', 'order_id', 'payment_id');

export const payoutStatusQuery = Joi.object({
  payout_id: optionalText(36).description('The payout, as its acceptance names it').example(aUuid),
  order_id: optionalText(500, 'known').description('Or your reference').example('ORDER-1'),
}).or('payout_id', 'order_id');

/** The refund's own id, as its acceptance names it. */
export const refundStatusQuery = Joi.object({
  transaction_id: requiredText(36).description('The refund, as its acceptance names it').example(aUuid),
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
