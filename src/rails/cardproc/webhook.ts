import { isFinal } from '../../domain/payment';
import { normalizedWebhook } from '../../payments/transition/normalized-webhook';
import type { Announcement } from '../../rail-kit/rail';
import type { PaymentRow } from '../../store/tables';
import { wrapperStatus } from './status';

/** One webhook per ending, for the wrapper. Merchants of the card API poll instead (specification, Events). */
export function announces({ details, state }: PaymentRow): boolean {
  return details['door'] === 'wrapper' && isFinal(state);
}

export function tell(payment: PaymentRow): Announcement {
  const status = wrapperStatus(payment);
  const isUnhappy = status === 'FAILED' || status === 'INVALID';
  return normalizedWebhook(payment, {
    callbackType: 'Hosted-Checkout',
    status,
    failureCode: isUnhappy ? (payment.failure_code ?? payment.result_code) : null,
    failureMessage: isUnhappy ? payment.result_text : null,
  });
}
