import { amountAsNumber } from '../../domain/money';
import type { PaymentRow } from '../../store/tables';
import type { InitiateAnswer, SubmitOrderAnswer, TransactionStatusAnswer } from './description';
import { cardStatus, nextStep, wrapperStatus, type WrapperStatus } from './status';

/** The answer to POST /api/v2/initiate.php (specification). */
export function initiateAnswer(payment: PaymentRow): InitiateAnswer {
  return {
    success: true,
    redirect_url: payment.details['redirect_url'] ?? '',
    order_tracking_id: payment.provider_reference,
    order_id: payment.order_id,
  };
}

/** The answer to POST /api/cardproc/submit_order.php (specification). */
export function submitOrderAnswer(payment: PaymentRow): SubmitOrderAnswer {
  return {
    success: true,
    order_tracking_id: payment.provider_reference,
    merchant_reference: payment.order_id,
    redirect_url: payment.details['redirect_url'] ?? '',
  };
}

/**
 * Visible to everybody who knows the tracking id. So it contains nothing about the customer, and no other order's id,
 * which would reveal that order too.
 * @param isPolled whether the service still polls the order, so that it would notice a payment that arrives.
 */
export function transactionStatusAnswer(payment: PaymentRow, isPolled: boolean): TransactionStatusAnswer {
  // An operator may still have to decide an older one.
  const isFollowed = isPolled || payment.is_final === 0;
  const status = wrapperStatus(payment);
  const isPaid = status === 'COMPLETED' || status === 'REVERSED';
  const { currency, confirmed_minor: confirmed, requested_minor: requested, details } = payment;
  return {
    success: true,
    order_tracking_id: payment.provider_reference,
    merchant_reference: payment.order_id,
    ...cardStatus(payment),
    is_final: isPaid || !isFollowed,
    message: statusMessages[status][isFollowed ? 'followed' : 'over'],
    ...nextStep(payment, isFollowed),
    amount: amountAsNumber(BigInt(confirmed ?? requested), currency),
    currency,
    payment_method: details['payment_method'] ?? '',
    confirmation_code: details['confirmation_code'] ?? '',
    sequence: payment.sequence,
  };
}

const always = (text: string) => ({ followed: text, over: text });

/** INVALID means an order that waits for its customer, or one that was never paid. The message shows which. */
const statusMessages: Record<WrapperStatus, Record<'followed' | 'over', string>> = {
  PENDING: always('No payment is booked yet; query the status again later'),
  INVALID: {
    followed: 'No payment is known after a day; a payment that still arrives is reported as COMPLETED',
    over: 'No payment is known; the order is closed',
  },
  FAILED: {
    followed: 'The payment failed; the customer may try again on the same page',
    over: 'The payment failed; the order is closed',
  },
  COMPLETED: always('The payment is completed'),
  REVERSED: always('The payment was reversed after it was completed'),
};

interface Sentence {
  title: string;
  text: string;
}

/** Shown for an open order and for an unknown one, so that nobody can distinguish the two. */
export const neutralPage: Sentence = {
  title: 'Thank you',
  text: 'You can close this page. The merchant will tell you the result of your payment.',
};

const pages: Record<WrapperStatus, Sentence> = {
  PENDING: neutralPage,
  INVALID: neutralPage,
  COMPLETED: {
    title: 'Payment received',
    text: 'Thank you. You can close this page and return to the merchant.',
  },
  FAILED: {
    title: 'The payment did not go through',
    text: 'You can try again on the payment page, or close this page and return to the merchant.',
  },
  REVERSED: {
    title: 'The payment was returned',
    text: 'The money is returned to you. You can close this page and return to the merchant.',
  },
};

/** The page for customers of a merchant that has no page of its own. */
export function resultPage(payment: PaymentRow): Sentence {
  return pages[wrapperStatus(payment)];
}
