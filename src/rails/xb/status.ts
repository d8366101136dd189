import type { PaymentState } from '../../domain/payment';
import { handsetReasons, nextStepOf, shownNextStep, type StepsByKind } from '../../payments/read/next-step';
import type { PaymentRow } from '../../store/tables';

export type XbState = 'PENDING' | 'PROCESSING' | 'COMPLETE' | 'FAILED' | 'CANCELLED' | 'FAILED_VALIDATE';

const words: Record<PaymentState, XbState> = {
  received: 'PENDING',
  initiating: 'PENDING',
  pending: 'PENDING',
  queued: 'PENDING',
  processing: 'PROCESSING',
  succeeded: 'COMPLETE',
  refunded: 'COMPLETE',
  reversed: 'COMPLETE',
  returned: 'FAILED',
  failed: 'FAILED',
  timed_out: 'FAILED',
  cancelled: 'CANCELLED',
};

/** Our states in the words of the specification (States, cross-border STK payment). */
export function xbState(payment: PaymentRow): XbState {
  const { state, details, failure_code: refusedAs } = payment;
  // The number failed, whether the provider reports it at once or after an attempt.
  const isOfNumber = details['failure'] === 'FAILED_VALIDATE' || refusedAs === 'INVALID_PHONE_NUMBER';
  return state === 'failed' && isOfNumber ? 'FAILED_VALIDATE' : words[state];
}

/** The customer's next step for each failure, by the codes of both providers. */
export const xbNextSteps: StepsByKind = {
  deposit: {
    ...handsetReasons,
    FAILED_VALIDATE: 'check_number',
    CANCELLED: 'pay_again',
    '1': 'add_money',
    TIMED_OUT: 'check_sms_then_pay',
    '1019': 'check_sms_then_pay',
    '1032': 'pay_again',
    '1037': 'check_sms_then_pay',
    '2001': 'check_pin',
  },
  payout: {},
  refund: {},
};

export const nextStep = (payment: PaymentRow) => shownNextStep(nextStepOf(payment, xbNextSteps));
