/** A payments row in memory, for code that only reads one. */
import type { PaymentRow } from '../../src/store/tables';

const at = new Date('2026-01-05T09:00:00.000Z');

export function rowOfPayment(given: Partial<PaymentRow>): PaymentRow {
  return {
    ...{
      payment_id: '01890a5d-ac96-774b-bcce-b302099a8057',
      merchant_id: '01890a5d-ac96-774b-bcce-b302099a8058',
    },
    ...{ rail: 'stk', kind: 'deposit', workflow_id: 'stk-push/1', state: 'pending', is_final: 0 },
    ...{ currency: 'KES', requested_minor: '500', instructed_currency: 'KES', instructed_minor: '500' },
    ...{ confirmed_minor: null, credited_currency: null, credited_minor: null },
    ...{ returned_minor: '0', refunded_minor: '0', refund_debited_minor: '0' },
    ...{ account_reference: null, order_id: null, phone_number: null, provider: 'daraja' },
    ...{ provider_reference: null, provider_receipt: null, callback_token: null, parent_id: null },
    ...{ result_code: null, result_text: null, failure_code: null, corrected: 0, request_id: null },
    ...{ metadata: null, details: {}, created_at: at, accepted_at: at, answered_at: at, finished_at: null },
    ...{ asked_at: null, updated_at: at, key_hash: null, guard_hash: null, guarded_from: null },
    ...{
      guarded_until: null,
      next_check_at: null,
      signalled_at: null,
      signals: 0,
      fee_id: null,
      fee_minor: null,
    },
    sequence: 1,
    ...{ clock_ahead_ms: '0', accepted_ahead_ms: '0', finished_ahead_ms: '0' },
    ...given,
  };
}
