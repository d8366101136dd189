import { isFinal } from '../../domain/payment';
import { normalizedWebhook } from '../../payments/transition/normalized-webhook';
import type { WebhookContent } from '../../rail-kit/rail';
import type { PaymentRow } from '../../store/tables';
import { wrapperStatus } from './status';

/** One webhook per final status, for the wrapper. Merchants of the card API poll instead (specification, Events). */
export function sendsWebhook({ details, state }: PaymentRow): boolean {
  return details['api'] === 'wrapper' && isFinal(state);
}

export function webhookOf(payment: PaymentRow): WebhookContent {
  const status = wrapperStatus(payment);
  const isUnhappy = status === 'FAILED' || status === 'INVALID';
  return normalizedWebhook(payment, {
    callbackType: 'Hosted-Checkout',
    status,
    failureCode: isUnhappy ? (payment.failure_code ?? payment.result_code) : null,
    failureMessage: isUnhappy ? payment.result_text : null,
  });
}
