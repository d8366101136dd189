import type { PaymentState } from '../../domain/payment';

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
