import { amountAsNumber } from '../../domain/money';
import type { PaymentRow } from '../../store/tables';
import type { InitiateAnswer, SubmitOrderAnswer, TransactionStatusAnswer } from './description';
import { cardStatus, nextStep, wrapperStatus, type WrapperStatus } from './status';

/** The acceptance (specification, POST /api/v2/initiate.php). */
export function initiateAnswer(payment: PaymentRow): InitiateAnswer {
  return {
    success: true,
    redirect_url: payment.details['redirect_url'] ?? '',
    order_tracking_id: payment.provider_reference,
    order_id: payment.order_id,
  };
}

/** The acceptance (specification, POST /api/cardproc/submit_order.php). */
export function submitOrderAnswer(payment: PaymentRow): SubmitOrderAnswer {
  return {
    success: true,
    order_tracking_id: payment.provider_reference,
    merchant_reference: payment.order_id,
    redirect_url: payment.details['redirect_url'] ?? '',
  };
}

/**
 * What anybody may see who knows the tracking id: nothing about the customer, and no other order's id, which would open
 * that one as well.
 * @param isFollowed whether a payment that still comes would be seen
 */
export function transactionStatusAnswer(payment: PaymentRow, isFollowed: boolean): TransactionStatusAnswer {
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

/** INVALID is said of an order that waits for its customer and of one that nobody paid: this tells them apart. */
const statusMessages: Record<WrapperStatus, Record<'followed' | 'over', string>> = {
  PENDING: always('No payment is booked yet; ask again later'),
  INVALID: {
    followed: 'No payment is known after a day; one that still arrives is told as COMPLETED',
    over: 'No payment is known; the order is closed',
  },
  FAILED: {
    followed: 'The payment failed; the customer may try again on the same page',
    over: 'The payment failed; the order is closed',
  },
  COMPLETED: always('The payment is completed'),
  REVERSED: always('The payment was taken back after it was completed'),
};

interface Sentence {
  title: string;
  text: string;
}

/** Shown for an order that is under way, and for one that we do not know, so that the two look alike. */
export const neutralPage: Sentence = {
  title: 'Thank you',
  text: 'You can close this page. The merchant will tell you what became of your payment.',
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
    text: 'The money goes back to you. You can close this page and return to the merchant.',
  },
};

/** What a customer is told whose merchant has no page of its own. */
export function resultPage(payment: PaymentRow): Sentence {
  return pages[wrapperStatus(payment)];
}
