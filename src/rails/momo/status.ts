import type { PaymentState } from '../../domain/payment';
import { handsetReasons, nextStepOf, shownNextStep, type StepsByKind } from '../../payments/read/next-step';
import type { PaymentRow } from '../../store/tables';

interface Words {
  /** The status endpoint's `status`. */
  status: 'ACCEPTED' | 'PROCESSING' | 'ENQUEUED' | 'COMPLETED' | 'FAILED' | 'CANCELLED';
  /** `payment_status`, and the callback's `status`. */
  paymentStatus: 'Processing' | 'Success' | 'Failed' | 'Cancelled';
}

const accepted: Words = { status: 'ACCEPTED', paymentStatus: 'Processing' };
const completed: Words = { status: 'COMPLETED', paymentStatus: 'Success' };
const failed: Words = { status: 'FAILED', paymentStatus: 'Failed' };

/** Our states in the words of the specification (States, mobile money transaction). */
export const momoWords: Record<PaymentState, Words> = {
  received: accepted,
  initiating: accepted,
  pending: accepted,
  processing: { status: 'PROCESSING', paymentStatus: 'Processing' },
  queued: { status: 'ENQUEUED', paymentStatus: 'Processing' },
  succeeded: completed,
  refunded: completed,
  reversed: completed,
  returned: failed,
  failed,
  timed_out: failed,
  cancelled: { status: 'CANCELLED', paymentStatus: 'Cancelled' },
};

/** The next step of a customer or recipient for each failure. */
export const momoNextSteps: StepsByKind = {
  deposit: handsetReasons,
  payout: {
    RECIPIENT_NOT_FOUND: 'check_recipient',
    RECIPIENT_LIMIT_REACHED: 'receive_less',
    WALLET_LIMIT_REACHED: 'receive_less',
    INSUFFICIENT_FLOAT: 'money_not_sent',
    MANUALLY_CANCELLED: 'money_not_sent',
    UNSPECIFIED_FAILURE: 'money_not_sent',
  },
  refund: {},
};

/** Whether the network has a payment page, where its customers pay. It sends them no prompt. */
export const paysOnPage = ({ kind, details }: PaymentRow) =>
  kind === 'deposit' && details['successful_url'] !== undefined;

/** A network with a payment page has the customer sent there, as soon as the page is known. */
export function nextStep(payment: PaymentRow) {
  const isKnown = payment.details['redirect_url'] !== undefined;
  const instead = isKnown
    ? ({ enter_pin: 'open_page', wait: 'open_page' } as const)
    : paysOnPage(payment)
      ? ({ enter_pin: 'wait' } as const)
      : {};
  return shownNextStep(nextStepOf(payment, momoNextSteps, instead));
}
