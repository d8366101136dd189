import { NOT_STARTED, OUTCOME_UNKNOWN, type PaymentState } from '../../domain/payment';
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

/** Reasons of our own, in the code a merchant already handles: 1037 is "no response in time". */
const ownReasons: Record<string, { code: string; text: string }> = {
  [OUTCOME_UNKNOWN]: { code: '1037', text: 'No response from the customer in time' },
  [NOT_STARTED]: { code: '1', text: 'The payment could not be started; the customer was not asked' },
};

/** The result code and its sentence, as strings; empty while the payment is open. */
export function resultOf(payment: PaymentRow): { code: string; text: string } {
  const own = ownReasons[payment.failure_code ?? ''];
  return own ?? { code: payment.result_code ?? '', text: payment.result_text ?? '' };
}
