import type { PaymentState } from '../../domain/payment';
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
  // The number failed, whether the provider says so at once or after it has tried.
  const isOfNumber = details['failure'] === 'FAILED_VALIDATE' || refusedAs === 'INVALID_PHONE_NUMBER';
  return state === 'failed' && isOfNumber ? 'FAILED_VALIDATE' : words[state];
}
