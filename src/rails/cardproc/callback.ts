import { isFinal } from '../../domain/payment';
import { normalizedWebhook } from '../../payments/moves/normalized-webhook';
import type { Announcement } from '../../payments/rail/rail';
import type { PaymentRow } from '../../store/tables';
import { wrapperStatus } from './status';

/** One per ending, for the wrapper. Merchants of the card API poll instead (specification, Events). */
export function announce(payment: PaymentRow): Announcement | undefined {
  if (payment.details['door'] !== 'wrapper' || !isFinal(payment.state)) return undefined;
  const status = wrapperStatus(payment);
  const isUnhappy = status === 'FAILED' || status === 'INVALID';
  return normalizedWebhook(payment, {
    callbackType: 'Hosted-Checkout',
    status,
    failureCode: isUnhappy ? (payment.failure_code ?? payment.result_code) : null,
    failureMessage: isUnhappy ? payment.result_text : null,
  });
}
