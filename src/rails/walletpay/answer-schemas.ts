/** What this rail's endpoints answer, as openapi.json describes it; the builders take their types from here. */
import type { Currency } from '../../domain/money';
import { bulkFields } from '../../payments/create/bulk/bulk-status';
import { heldFields } from '../../payments/read/on-hold';
import { creditFields, refundToldFields, returnedFields } from '../../payments/transition/reported-amounts';
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

const transactionId = uuid('The order; a refund names it');
const walletpayOrderId = text("The provider's order, which is the `token` on return", '5O190127TN364715T');
const orderId = orNull(text('Your order_id', 'ORDER-1'));
const asked = {
  amount: amountNumber('What you asked for', 25),
  currency: currencyCode<Currency>('Of the amount', 'USD'),
};
const failure = {
  failure_code: orNull(text('Why it failed', 'ORDER_EXPIRED')),
  failure_message: orNull(text('The same in words', 'The order was not approved and paid in time')),
};
const ends = {
  correction: flag('It had ended otherwise before', { example: false }),
  ...sequenceField,
  created_at: moment('When it was taken'),
  updated_at: moment('When it changed last'),
};
const isFinal = flag('It has ended');
const approvalUrl = url('Where to send the buyer, for a few hours', 'https://pay.example/approve/1');
const rate = (about: string) =>
  orNull(text(`${about}. Decimal text; null where nothing was converted`, '0.0077519380'));
const pending = maybe(
  text('Why it is not Completed yet', 'Pending: the provider still looks into the payment'),
);
const batchId = text("The provider's batch, once known", '5UXD2E8A7EBQJ');
export const refundId = maybe(text("The provider's name of the latest refund", '1JU08902781691411'));

export const order = body({
  success,
  data: body({
    walletpay_order_id: walletpayOrderId,
    transaction_id: transactionId,
    order_id: orderId,
    approval_url: approvalUrl,
    status: word(['Pending'], 'The buyer has to approve it'),
    ...asked,
  }),
});

export const capture = body({
  success,
  message: pending,
  data: body({
    capture_id: text("The provider's capture, once known", '3C679366HH908993F'),
    status: word(orderStatuses, 'Credit your customer on Completed only'),
    amount: amountNumber('What was captured, in the currency that the provider moves', 25),
    currency: currencyCode<Currency>('Of the amount', 'USD'),
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
    status: word(orderStatuses, 'How it stands'),
    is_final: isFinal,
    ...nextStepFields,
    ...asked,
    order_rate: rate('At which the order was converted for the provider'),
    capture_id: orNull(text("The provider's capture", '3C679366HH908993F')),
    capture_status: orNull(text("The provider's word for it", 'COMPLETED')),
    captured_amount: orNull(amountNumber('What was captured', 25)),
    captured_currency: orNull(currencyCode<Currency>('Of what was captured', 'USD')),
    ...creditFields,
    ...feeFields,
    rate: rate('At which it was credited'),
    rounding_amount: orNull(
      amountNumber(
        'What was credited less what was paid is worth: below zero where the buyer paid for a part of a cent more',
        -0.65,
      ),
    ),
    refund_id: refundId,
    ...refundToldFields,
    held_amount: maybe(amountNumber('What is held in the wallet, because it may be taken back', 25)),
    held_currency: maybe(currencyCode<Currency>('Of what is held', 'USD')),
    dispute_id: maybe(text("The provider's dispute", 'PP-D-27803')),
    dispute_status: maybe(text("The provider's word for how it stands", 'UNDER_REVIEW')),
    dispute_reason: maybe(text("The provider's word for why", 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED')),
    ...duplicateFields,
    ...failure,
    ...ends,
  }),
});

const payoutId = uuid('The payout; ask for its status by it');
const recipient = text('Who is paid', 'amina@example.com');

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
      'How it stands; Pending also while a recipient without an account may claim it',
    ),
    is_final: isFinal,
    ...nextStepFields,
    ...asked,
    sent_amount: amountNumber('What is sent, in the currency that the provider moves', 25),
    sent_currency: currencyCode<Currency>('Of what is sent', 'USD'),
    ...feeFields,
    rate: rate('At which it was converted'),
    recipient_email: recipient,
    item_status: orNull(text("The provider's word for how it stands", 'SUCCESS')),
    ...heldFields,
    ...returnedFields,
    ...failure,
    ...ends,
  }),
});

const refundTransaction = uuid("The refund's own; ask for its status by it");
const depositId = orNull(uuid('The order that it gives back'));
const debitedCurrency = currencyCode<Currency>('Of what the wallet gives', 'USD');

export const refund = body({
  success,
  transaction_id: refundTransaction,
  deposit_transaction_id: depositId,
  order_id: text("The order's order_id", 'ORDER-1'),
  type: word(['refund'], 'What it is'),
  status: word(['ACCEPTED'], 'It is on its way'),
  amount: amountText('What the buyer gets back', '10.00'),
  currency: currencyCode<Currency>('Of the amount', 'USD'),
  debited_amount: amountText('What the wallet gives for it', '10.00'),
  debited_currency: debitedCurrency,
  message: text('What happens next, for a person', 'Refund accepted. The outcome follows by webhook'),
});

export const refundNames = {
  deposit_transaction_id: depositId,
  order_id: text("The order's order_id", 'ORDER-1'),
  refund_id: text("The provider's name of it, once known", '1JU08902781691411'),
  debited_amount: amountNumber('What the wallet gives for it', 10),
  debited_currency: debitedCurrency,
};

export const refundStatus = body({
  success,
  data: body({
    transaction_id: refundTransaction,
    ...refundNames,
    status: word(payoutStatuses, 'How it stands'),
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
  message: maybe(text('What happens next, for a person', 'Payouts accepted')),
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
