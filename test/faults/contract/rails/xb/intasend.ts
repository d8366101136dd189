import type { PaymentRow } from '../../../../../src/store/tables';
import { notification, notify, xbPush } from '../../../../support/rails/xb/payment-story';
import type { Stack } from '../../../../support/stack';
import type { RailContract } from '../../rail-contract';

/** The provider reads what will happen from the last three digits. */
const digits = { pays: '789', fails: '049', silent: '129' } as const;

/** What the provider has not answered is looked up by our own name for it, and never sent again. */
export const contract: RailContract = {
  flows: {
    'a push': {
      kind: 'deposit',
      customer: (fate, n) => `25670${String(n).padStart(4, '0')}${digits[fate]}`,
      row: (phone) => ({ phone_number: phone }),
      where: (phone) => ({ phone_number: phone }),
      request: (_stack, _merchant, phone) =>
        Promise.resolve({ path: '/api/v1/xb/stk_push', body: xbPush({ phone_number: phone }) }),
    },
  },
  notifications: 3,
  notificationsAreProof: false,
  repeatsAreDropped: false,
  initiation: {
    hang: ['timed_out'],
    drop: ['timed_out'],
    '500': ['timed_out'],
    html: ['timed_out'],
    '503': ['timed_out'],
    act_then_500: ['succeeded'],
    act_then_drop: ['succeeded'],
  },
  question: { call: 'status', faults: ['hang', 'drop', '500', 'html', '429', '401', '503'] },
  givesUpAfterMs: 31 * 60_000,
  lookup: 'lookup',
  silence: 'no_outcome',
  contradict: tellFailure,
  forgeFailure: tellFailure,
  async repeat(stack, _payment, { body }) {
    return (await notify(stack, { ...body, challenge: stack.env.XB_CHALLENGE })).status;
  },
};

/** The shared secret travels in each body: whoever has seen a notification can send one. */
async function tellFailure(stack: Stack, payment: PaymentRow): Promise<number> {
  const changes = { state: 'FAILED', failed_reason: 'timeout' };
  return (await notify(stack, notification(stack, payment, changes))).status;
}
