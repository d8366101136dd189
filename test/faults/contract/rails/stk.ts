import type { PaymentRow } from '../../../../src/store/tables';
import { callbackBody, notify } from '../../../support/rails/stk/payments';
import { stkPush } from '../../../support/merchant-client';
import type { Stack } from '../../../support/stack';
import type { RailContract } from '../rail-contract';

const failing = ['254711223344', '254700002001', '254700001001', '254700000026'];

/** Without its answer, the provider can neither be queried about a prompt, nor get it again. */
export const contract: RailContract = {
  flows: {
    'a push': {
      kind: 'deposit',
      customer: (fate, n) =>
        ({
          pays: `2547140${String(n).padStart(5, '0')}`,
          fails: failing[n],
          silent: n === 0 ? '254700000703' : undefined,
        })[fate],
      row: (phone) => ({ phone_number: phone }),
      where: (phone) => ({ phone_number: phone }),
      request: (_stack, _merchant, phone) =>
        Promise.resolve({ path: '/api/v1/stk_push', body: stkPush({ phone_number: phone }) }),
    },
  },
  notifications: 1,
  notificationsAreTrusted: false,
  repeatsAreDropped: false,
  initiation: {
    hang: ['timed_out'],
    drop: ['timed_out'],
    '500': ['timed_out'],
    html: ['timed_out'],
    act_then_500: ['succeeded'],
    act_then_error: ['succeeded'],
  },
  question: { call: 'query', faults: ['hang', 'drop', '500', 'html', '429', 'expired_token'] },
  givesUpAfterMs: 4 * 60_000,
  silence: 'timed_out',
  contradict: notifyFailure,
  forgeFailure: notifyFailure,
  async repeat(stack, payment, { body }) {
    return (await notify(stack, payment, body)).status;
  },
};

/** Nothing is signed: anyone who has seen a notification can send one. */
async function notifyFailure(stack: Stack, payment: PaymentRow): Promise<number> {
  return (await notify(stack, payment, callbackBody(payment, { resultCode: 1032 }))).status;
}
