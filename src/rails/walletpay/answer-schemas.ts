/** The answers of this rail's endpoints, as openapi.json describes them. The builders take their types from here. */
import type { Currency } from '../../domain/money';
import { bulkFields } from '../../payments/create/bulk/bulk-status';
import { heldFields } from '../../payments/read/on-hold';
import { creditFields, refundAmountFields, returnedFields } from '../../payments/transition/reported-amounts';
import { feeFields } from '../../payments/transition/fees';
import {
  amountNumber,
  amountText,
  body,
  currencyCode,
  flag,
  maybe,
  moment,
  orNull,
  success,
  text,
  url,
  uuid,
  word,
  type TypeOf,
} from '../../rail-kit/answer-fields';
import { nextStepFields } from '../../payments/read/next-step';
import { duplicateFields } from '../../payments/read/duplicates';
import { sequenceField } from '../../rail-kit/fields';

export const orderStatuses = ['Completed', 'Pending', 'Failed', 'Refunded'] as const;
export const payoutStatuses = ['Success', 'Pending', 'Failed'] as const;

const transactionId = uuid('The order; a refund request needs this id');
const walletpayOrderId = text("The provider's order id, which is the `token` on return", '5O190127TN364715T');
const orderId = orNull(text('Your order_id', 'ORDER-1'));
const asked = {
  amount: amountNumber('The requested amount', 25),
  currency: currencyCode<Currency>('The currency of the requested amount', 'USD'),
};
const failure = {
  failure_code: orNull(text('The failure code', 'ORDER_EXPIRED')),
  failure_message: orNull(
    text('The failure reason as a text', 'The order was not approved and paid in time'),
  ),
};
const ends = {
  correction: flag('Whether another final status was reported before', { example: false }),
  ...sequenceField,
  created_at: moment('When the payment was created'),
  updated_at: moment('When the payment last changed'),
};
const isFinal = flag('Whether the status is final');
const approvalUrl = url(
  'The page where the buyer approves the order. It expires after a few hours',
  'https://pay.example/approve/1',
);
const rate = (about: string) =>
  orNull(text(`${about}. Decimal text; null without a conversion`, '0.0077519380'));
const pending = maybe(
  text('Why the status is not Completed yet', 'Pending: the provider is still reviewing the payment'),
);
const batchId = text("The provider's batch id, once known", '5UXD2E8A7EBQJ');
export const refundId = maybe(text("The provider's id of the latest refund", '1JU08902781691411'));

export const order = body({
  success,
  data: body({
    walletpay_order_id: walletpayOrderId,
    transaction_id: transactionId,
    order_id: orderId,
    approval_url: approvalUrl,
    status: word(['Pending'], 'The status: the buyer must approve the order'),
    ...asked,
  }),
});

export const capture = body({
  success,
  message: pending,
  data: body({
    capture_id: text("The provider's capture id, once known", '3C679366HH908993F'),
    status: word(orderStatuses, 'The status. Credit your customer on Completed only'),
    amount: amountNumber('The captured amount, in the currency at the provider', 25),
    currency: currencyCode<Currency>('The currency of the captured amount', 'USD'),
    order_id: orderId,
    walletpay_order_id: walletpayOrderId,
  }),
});

export const orderStatus = body({
  success,
  message: pending,
  data: body({
    walletpay_order_id: walletpayOrderId,
    transaction_id: transactionId,
    order_id: orderId,
    approval_url: approvalUrl,
    status: word(orderStatuses, 'The status of the order'),
    is_final: isFinal,
    ...nextStepFields,
    ...asked,
    order_rate: rate('The rate at which the order was converted for the provider'),
    capture_id: orNull(text("The provider's capture id", '3C679366HH908993F')),
    capture_status: orNull(text("The provider's status of the capture", 'COMPLETED')),
    captured_amount: orNull(amountNumber('The captured amount', 25)),
    captured_currency: orNull(currencyCode<Currency>('The currency of the captured amount', 'USD')),
    ...creditFields,
    ...feeFields,
    rate: rate('The rate of the credit'),
    rounding_amount: orNull(
      amountNumber(
        'The credit less the converted payment: below zero if the buyer paid for a fraction of a cent more',
        -0.65,
      ),
    ),
    refund_id: refundId,
    ...refundAmountFields,
    held_amount: maybe(
      amountNumber('The amount that is reserved in the wallet, because the provider may reverse it', 25),
    ),
    held_currency: maybe(currencyCode<Currency>('The currency of the reserved amount', 'USD')),
    dispute_id: maybe(text("The provider's dispute id", 'PP-D-27803')),
    dispute_status: maybe(text("The provider's status of the dispute", 'UNDER_REVIEW')),
    dispute_reason: maybe(
      text("The provider's reason of the dispute", 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED'),
    ),
    ...duplicateFields,
    ...failure,
    ...ends,
  }),
});

const payoutId = uuid('The payout. Query its status by this id');
const recipient = text("The recipient's e-mail address", 'amina@example.com');

export const payout = body({
  success,
  data: body({ payout_id: payoutId, walletpay_batch_id: batchId, ...heldFields }),
});

export const payoutStatus = body({
  success,
  data: body({
    payout_id: payoutId,
    walletpay_batch_id: batchId,
    order_id: orderId,
    status: word(
      payoutStatuses,
      'The status of the payout. It is also Pending while a recipient without an account can claim it',
    ),
    is_final: isFinal,
    ...nextStepFields,
    ...asked,
    sent_amount: amountNumber('The sent amount, in the currency at the provider', 25),
    sent_currency: currencyCode<Currency>('The currency of the sent amount', 'USD'),
    ...feeFields,
    rate: rate('The rate of the conversion'),
    recipient_email: recipient,
    item_status: orNull(text("The provider's status of the payout", 'SUCCESS')),
    ...heldFields,
    ...returnedFields,
    ...failure,
    ...ends,
  }),
});

const refundTransaction = uuid("The refund's own id. Query its status by this id");
const depositId = orNull(uuid('The refunded order'));
const debitedCurrency = currencyCode<Currency>('The currency of the debit from the wallet', 'USD');

export const refund = body({
  success,
  transaction_id: refundTransaction,
  deposit_transaction_id: depositId,
  order_id: text('The order_id of the order', 'ORDER-1'),
  type: word(['refund'], 'The type of the payment'),
  status: word(['ACCEPTED'], 'The status: the refund is in progress'),
  amount: amountText('The amount that the buyer gets', '10.00'),
  currency: currencyCode<Currency>('The currency of the amount', 'USD'),
  debited_amount: amountText('The amount that is debited from the wallet', '10.00'),
  debited_currency: debitedCurrency,
  message: text('What happens next, as a sentence', 'Refund accepted. A webhook reports the outcome'),
});

export const refundNames = {
  deposit_transaction_id: depositId,
  order_id: text('The order_id of the order', 'ORDER-1'),
  refund_id: text("The provider's id of the refund, once known", '1JU08902781691411'),
  debited_amount: amountNumber('The amount that is debited from the wallet', 10),
  debited_currency: debitedCurrency,
};

export const refundStatus = body({
  success,
  data: body({
    transaction_id: refundTransaction,
    ...refundNames,
    status: word(payoutStatuses, 'The status of the refund'),
    is_final: isFinal,
    ...nextStepFields,
    ...asked,
    ...heldFields,
    ...returnedFields,
    ...failure,
    ...ends,
  }),
});

export const bulk = body({
  success,
  message: maybe(text('What happens next, as a sentence', 'Payouts accepted')),
  data: body(
    bulkFields(
      {
        payout_id: payoutId,
        order_id: orderId,
        recipient_email: recipient,
        ...nextStepFields,
        ...heldFields,
        ...returnedFields,
        ...failure,
      },
      { amount: (about) => amountNumber(about, 25), statuses: payoutStatuses },
    ),
  ),
});

export type WalletOrder = TypeOf<typeof order>;
export type WalletCapture = TypeOf<typeof capture>;
export type WalletOrderStatus = TypeOf<typeof orderStatus>;
export type WalletPayout = TypeOf<typeof payout>;
export type WalletPayoutStatus = TypeOf<typeof payoutStatus>;
export type WalletRefund = TypeOf<typeof refund>;
export type WalletRefundStatus = TypeOf<typeof refundStatus>;
