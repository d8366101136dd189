import { NOT_STARTED, OUTCOME_UNKNOWN, type PaymentState } from '../../domain/payment';
import { nextStepOf, shownNextStep, type StepsByKind } from '../../payments/read/next-step';
import type { PaymentRow } from '../../store/tables';

/** Our states in the words of the specification (States, STK push payment). */
export const stkStatus = {
  received: 'Pending',
  initiating: 'Pending',
  pending: 'Pending',
  queued: 'Pending',
  processing: 'Pending',
  succeeded: 'Success',
  failed: 'Failed',
  cancelled: 'Cancelled',
  timed_out: 'Timeout',
  refunded: 'Success',
  reversed: 'Success',
  returned: 'Failed',
} as const satisfies Record<PaymentState, string>;

/** Our own failure reasons, with a code that merchants already handle: 1037 is "no response in time". */
const ownReasons: Record<string, { code: string; text: string }> = {
  [OUTCOME_UNKNOWN]: { code: '1037', text: 'The provider did not report in time whether the customer paid' },
  [NOT_STARTED]: { code: '1', text: 'The payment could not be started; the customer got no prompt' },
};

/** The result code and its sentence as texts; empty while the payment is open. */
export function resultOf(payment: PaymentRow): { code: string; text: string } {
  const own = ownReasons[payment.failure_code ?? ''];
  return own ?? { code: payment.result_code ?? '', text: payment.result_text ?? '' };
}

/** The customer's next step for each result of the provider. */
export const stkNextSteps: StepsByKind = {
  deposit: {
    '1': 'add_money',
    '2': 'ask_network',
    '17': 'close_other_prompt',
    '26': 'pay_again_later',
    '1001': 'close_other_prompt',
    '1019': 'check_sms_then_pay',
    '1025': 'pay_again_later',
    '1032': 'pay_again',
    '1037': 'check_sms_then_pay',
    '2001': 'check_pin',
    '2028': 'ask_seller',
    '8006': 'ask_network',
    '9999': 'pay_again_later',
    SFC_IC0003: 'ask_seller',
    ...Object.fromEntries(
      ['3', '4', '8', '10', '11', '29', '31', '32', '33', '35', '36', '40', '41', '42', '43'].map(
        (code) => [code, 'ask_network'] as const,
      ),
    ),
  },
  payout: {},
  refund: {},
};

export const nextStep = (payment: PaymentRow) => shownNextStep(nextStepOf(payment, stkNextSteps));
