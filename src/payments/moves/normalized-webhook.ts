import { v7 as uuidV7 } from 'uuid';
import { amountAsNumber } from '../../domain/money';
import type { PaymentRow } from '../../store/tables';
import { duplicateTold } from '../record/possible-duplicate';
import { creditTold, refundTold } from './amounts-told';
import { feeTold } from './fees';
import type { Announcement } from '../rail/rail';

/** What a rail's words add to the one body of all checkout rails. */
export interface StatusUpdate {
  callbackType: 'Wallet-Checkout' | 'Hosted-Checkout';
  /** The rail's own word for the state. */
  status: string;
  /** Null save for a payment that failed, or that waits for its recipient. */
  failureCode: string | null;
  failureMessage: string | null;
  /** Further fields of this one update, such as a refund's id. */
  further?: Record<string, unknown>;
}

/**
 * The status update of wallet and hosted checkout. `amount` is what the merchant asked for, `credited_amount` what the
 * wallet has of it now, after what went back. `event_id` is the webhook id: the same at every try.
 */
export function normalizedWebhook(payment: PaymentRow, update: StatusUpdate): Announcement {
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
      ...creditTold(payment),
      ...feeTold(payment),
      failure_code: update.failureCode,
      failure_message: update.failureMessage,
      ...update.further,
      ...refundTold(payment),
      ...duplicateTold(payment),
      correction: payment.corrected === 1,
      timestamp: payment.updated_at.toISOString(),
    },
  };
}
