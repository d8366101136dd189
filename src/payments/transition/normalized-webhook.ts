import { v7 as uuidV7 } from 'uuid';
import { amountAsNumber, type Currency } from '../../domain/money';
import type { PaymentRow } from '../../store/tables';
import {
  amountNumber,
  currencyCode,
  flag,
  moment,
  orNull,
  text,
  uuid,
  word,
} from '../../rail-kit/answer-fields';
import { duplicateFields, shownDuplicate } from '../read/duplicates';
import { creditFields, shownCredit, refundAmounts, refundAmountFields } from './reported-amounts';
import { feeFields, shownFee } from './fees';
import type { WebhookContent } from '../../rail-kit/rail';
import { eventFields, sequenceField } from '../../rail-kit/fields';

/** The fields of the common body; `statuses` are the rail's own words. */
export function normalizedWebhookFields<S extends string>(
  rail: string,
  callbackType: string,
  statuses: readonly [S, ...S[]],
) {
  return {
    event_id: uuid('The id of the webhook, the same for every attempt; also its webhook-id header'),
    type: word(['deposit', 'payout', 'refund'], 'The type of the payment'),
    rail: word([rail], "The payment's rail"),
    transaction_id: uuid('The payment'),
    order_id: text('Your order_id', 'ORDER-1'),
    provider_reference: text("The provider's id of the payment, once known", '5O190127TN364715T'),
    status: word(statuses, 'The state of the payment. Credit your customer on success only'),
    amount: amountNumber('The requested amount'),
    currency: currencyCode<Currency>('The currency of the requested amount', 'USD'),
    ...creditFields,
    ...feeFields,
    failure_code: orNull(text('The failure code, or what the recipient must do', 'ORDER_EXPIRED')),
    failure_message: orNull(
      text('The failure reason as a text', 'The order was not approved and paid in time'),
    ),
    ...refundAmountFields,
    ...duplicateFields,
    ...eventFields(callbackType),
    ...sequenceField,
    correction: flag('Whether another final status was reported before', { example: false }),
    timestamp: moment('When the payment changed'),
  };
}

/** A rail's additions to the common body of all checkout rails. */
export interface StatusUpdate {
  callbackType: 'Wallet-Checkout' | 'Hosted-Checkout';
  /** The rail's own word for the state. */
  status: string;
  /** Null except for a payment that failed, or that waits for its recipient. */
  failureCode: string | null;
  failureMessage: string | null;
  /** Further fields of this update only, such as a refund's id. */
  further?: Record<string, unknown>;
}

/**
 * The status update of wallet and hosted checkout. `amount` is the requested amount; `credited_amount` is what the
 * wallet has of it now, after refunds and reversals. `event_id` is the webhook id: the same at every try.
 */
export function normalizedWebhook(payment: PaymentRow, update: StatusUpdate): WebhookContent {
  const webhookId = uuidV7();
  return {
    webhookId,
    callbackType: update.callbackType,
    endpoint: 'webhook_url',
    body: {
      event_id: webhookId,
      type: payment.kind,
      rail: payment.rail,
      transaction_id: payment.payment_id,
      order_id: payment.order_id ?? '',
      provider_reference: payment.provider_reference ?? '',
      status: update.status,
      amount: amountAsNumber(BigInt(payment.requested_minor), payment.currency),
      currency: payment.currency,
      ...shownCredit(payment),
      ...shownFee(payment),
      failure_code: update.failureCode,
      failure_message: update.failureMessage,
      ...update.further,
      ...refundAmounts(payment),
      ...shownDuplicate(payment),
      correction: payment.corrected === 1,
      timestamp: payment.updated_at.toISOString(),
    },
  };
}
