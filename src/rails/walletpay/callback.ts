import { isFinal } from '../../domain/payment';
import { returnedTold } from '../../payments/moves/amounts-told';
import { normalizedWebhook } from '../../payments/moves/normalized-webhook';
import type { Announcement } from '../../payments/rail/rail';
import type { PaymentRow } from '../../store/tables';
import { refundIdOf, refundNames } from './responses';
import { orderFailure, orderStatus, payoutFailure, payoutStatus, refundFailure } from './status';

const callbackType = 'Wallet-Checkout';

/** One per status that the merchant sees, and one per refund: a deposit may go back in several parts. */
export function announceOrder(payment: PaymentRow): Announcement | undefined {
  if (!isFinal(payment.state)) return undefined;
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

/** One per ending, one when the money waits for a recipient who has no account yet, and one when it comes back. */
export function announcePayout(payment: PaymentRow): Announcement | undefined {
  if (!isFinal(payment.state) && payment.state !== 'queued') return undefined;
  const { code: failureCode, message: failureMessage } = payoutFailure(payment);
  return normalizedWebhook(payment, {
    callbackType,
    status: payoutStatus(payment),
    failureCode,
    failureMessage,
    further: returnedTold(payment),
  });
}

/** One when it is done or has failed, and one when it comes back; its deposit has a webhook of its own. */
export function announceRefund(payment: PaymentRow): Announcement | undefined {
  if (!isFinal(payment.state)) return undefined;
  const { code: failureCode, message: failureMessage } = refundFailure(payment);
  return normalizedWebhook(payment, {
    callbackType,
    status: payoutStatus(payment),
    failureCode,
    failureMessage,
    further: { ...refundNames(payment), ...returnedTold(payment) },
  });
}
