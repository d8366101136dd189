import type { PaymentState } from '../../domain/payment';
import { nextStepOf, shownNextStep, type StepsByKind } from '../../payments/read/next-step';
import type { PaymentRow } from '../../store/tables';

export const toyWords = ['Pending', 'Paid', 'Failed'] as const;

/** Our states as merchants read them. The compiler checks that none is missing. */
const words: Record<PaymentState, (typeof toyWords)[number]> = {
  received: 'Pending',
  initiating: 'Pending',
  pending: 'Pending',
  queued: 'Pending',
  processing: 'Pending',
  succeeded: 'Paid',
  refunded: 'Paid',
  reversed: 'Paid',
  returned: 'Failed',
  failed: 'Failed',
  cancelled: 'Failed',
  timed_out: 'Failed',
};

export const toyStatus = ({ state }: Pick<PaymentRow, 'state'>) => words[state];

/** The customer's next step, by the provider's reason. */
export const toyNextSteps: StepsByKind = {
  deposit: { DECLINED: 'pay_again' },
  payout: {},
  refund: {},
};

export const nextStep = (payment: PaymentRow) => shownNextStep(nextStepOf(payment, toyNextSteps));
