import { isFinal } from '../../domain/payment';
import { returnedTold } from '../../payments/transition/reported-amounts';
import { normalizedWebhook } from '../../payments/transition/normalized-webhook';
import type { Announcement } from '../../rail-kit/rail';
import type { PaymentRow } from '../../store/tables';
import { refundIdOf, refundNames } from './responses';
import { orderFailure, orderStatus, payoutFailure, payoutStatus, refundFailure } from './status';

const callbackType = 'Wallet-Checkout';

/**
 * One webhook per ending, one when a payout waits for a recipient who has no account yet, and one when money comes back: a
 * deposit may go back in several parts, each with a webhook of its own.
 */
export function announces({ kind, state }: PaymentRow): boolean {
  return isFinal(state) || (kind === 'payout' && state === 'queued');
}

export function tellOrder(payment: PaymentRow): Announcement {
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

export function tellPayout(payment: PaymentRow): Announcement {
  const { code: failureCode, message: failureMessage } = payoutFailure(payment);
  return normalizedWebhook(payment, {
    callbackType,
    status: payoutStatus(payment),
    failureCode,
    failureMessage,
    further: returnedTold(payment),
  });
}

/** Its deposit has a webhook of its own. */
export function tellRefund(payment: PaymentRow): Announcement {
  const { code: failureCode, message: failureMessage } = refundFailure(payment);
  return normalizedWebhook(payment, {
    callbackType,
    status: payoutStatus(payment),
    failureCode,
    failureMessage,
    further: { ...refundNames(payment), ...returnedTold(payment) },
  });
}
