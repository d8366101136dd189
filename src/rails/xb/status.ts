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
  failed: 'FAILED',
  timed_out: 'FAILED',
  cancelled: 'CANCELLED',
};

/** Our states in the words of the specification (States, cross-border STK payment). */
export function xbState(payment: PaymentRow): XbState {
  const validation = payment.state === 'failed' && payment.details['failure'] === 'FAILED_VALIDATE';
  return validation ? 'FAILED_VALIDATE' : words[payment.state];
}
