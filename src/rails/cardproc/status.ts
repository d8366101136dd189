import type { PaymentState } from '../../domain/payment';
import type { PaymentRow } from '../../store/tables';

export type WrapperStatus = 'COMPLETED' | 'PENDING' | 'FAILED' | 'INVALID' | 'REVERSED';
type CardCode = 0 | 1 | 2 | 3;
type CardStatus = Exclude<WrapperStatus, 'PENDING'>;

/** Our states in the words of the specification (States, hosted-checkout order). An order that nobody paid is INVALID. */
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

/** The card API has no word for what is still open. */
export function cardStatus(payment: Pick<PaymentRow, 'state'>): {
  status: CardStatus;
  status_code: CardCode;
} {
  const word = wrapperStatus(payment);
  const status = word === 'PENDING' ? 'INVALID' : word;
  return { status, status_code: codes[status] };
}
