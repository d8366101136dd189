import { isFinal } from '../../domain/payment';
import { shownReturn } from '../../payments/transition/reported-amounts';
import { normalizedWebhook } from '../../payments/transition/normalized-webhook';
import type { WebhookContent } from '../../rail-kit/rail';
import type { PaymentRow } from '../../store/tables';
import { refundIdOf, refundNames } from './responses';
import { orderFailure, orderStatus, payoutFailure, payoutStatus, refundFailure } from './status';

const callbackType = 'Wallet-Checkout';

/**
 * One webhook per final status, one when a payout waits for a recipient without an account, and one per returned part:
 * a deposit may be refunded in several parts.
 */
export function sendsWebhook({ kind, state }: PaymentRow): boolean {
  return isFinal(state) || (kind === 'payout' && state === 'queued');
}

export function orderWebhook(payment: PaymentRow): WebhookContent {
  const { code: failureCode, message: failureMessage } = orderFailure(payment);
  const status = orderStatus(payment);
  return normalizedWebhook(payment, {
    callbackType,
    status,
    failureCode,
    failureMessage,
    further: refundIdOf(payment),
  });
}

export function payoutWebhook(payment: PaymentRow): WebhookContent {
  const { code: failureCode, message: failureMessage } = payoutFailure(payment);
  return normalizedWebhook(payment, {
    callbackType,
    status: payoutStatus(payment),
    failureCode,
    failureMessage,
    further: shownReturn(payment),
  });
}

/** The deposit of the refund has a webhook of its own. */
export function refundWebhook(payment: PaymentRow): WebhookContent {
  const { code: failureCode, message: failureMessage } = refundFailure(payment);
  return normalizedWebhook(payment, {
    callbackType,
    status: payoutStatus(payment),
    failureCode,
    failureMessage,
    further: { ...refundNames(payment), ...shownReturn(payment) },
  });
}
