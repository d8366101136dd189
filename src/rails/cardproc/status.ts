import { OUTCOME_UNKNOWN, type PaymentState } from '../../domain/payment';
import { nextStepOf, shownNextStep, type StepsByKind } from '../../payments/read/next-step';
import { creationTimeOf, msSince } from '../../payments/read/payment-clock';
import type { PaymentRow } from '../../store/tables';

export type WrapperStatus = 'COMPLETED' | 'PENDING' | 'FAILED' | 'INVALID' | 'REVERSED';
type CardCode = 0 | 1 | 2 | 3;
type CardStatus = Exclude<WrapperStatus, 'PENDING'>;

/** Our states in the words of the specification (States, hosted-checkout order). An unpaid order is INVALID. */
const words: Record<PaymentState, WrapperStatus> = {
  received: 'PENDING',
  initiating: 'PENDING',
  pending: 'PENDING',
  queued: 'PENDING',
  processing: 'PENDING',
  succeeded: 'COMPLETED',
  failed: 'FAILED',
  cancelled: 'FAILED',
  timed_out: 'INVALID',
  refunded: 'REVERSED',
  reversed: 'REVERSED',
  returned: 'FAILED',
};

const codes: Record<CardStatus, CardCode> = { INVALID: 0, COMPLETED: 1, FAILED: 2, REVERSED: 3 };

export function wrapperStatus({ state }: Pick<PaymentRow, 'state'>): WrapperStatus {
  return words[state];
}

/** The card API has no status word for an open order. */
export function cardStatus(payment: Pick<PaymentRow, 'state'>): {
  status: CardStatus;
  status_code: CardCode;
} {
  const word = wrapperStatus(payment);
  const status = word === 'PENDING' ? 'INVALID' : word;
  return { status, status_code: codes[status] };
}

/** The processor reports a failure in sentences of banks and networks, of which there is no list. */
export const cardprocNextSteps: StepsByKind = {
  deposit: { [OUTCOME_UNKNOWN]: 'check_sms_then_pay' },
  payout: {},
  refund: {},
};

/** @param isFollowed whether the page still accepts a payment after a failed one */
export function nextStep(payment: PaymentRow, isFollowed: boolean) {
  return shownNextStep(
    nextStepOf(payment, cardprocNextSteps, {
      enter_pin: 'open_page',
      pay_again: isFollowed ? 'try_page_again' : 'pay_again',
    }),
  );
}

/**
 * Whether the service would notice a payment that still arrives. @param followedMs how long an order is polled, in
 * milliseconds.
 */
export function isFollowed(payment: PaymentRow, followedMs: number): boolean {
  return msSince(payment, creationTimeOf(payment)) < followedMs;
}
