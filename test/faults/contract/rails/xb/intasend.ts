import type { PaymentRow } from '../../../../../src/store/tables';
import { notification, notify, xbPush } from '../../../../support/rails/xb/payments';
import type { Stack } from '../../../../support/stack';
import type { RailContract } from '../../rail-contract';

/** The last three digits decide the result at the provider. */
const digits = { pays: '789', fails: '049', silent: '129' } as const;

/** A submission without the provider's answer is queried by our own id, and never sent again. */
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
  notificationsAreTrusted: false,
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
  contradict: notifyFailure,
  forgeFailure: notifyFailure,
  async repeat(stack, _payment, { body }) {
    return (await notify(stack, { ...body, challenge: stack.env.XB_CHALLENGE })).status;
  },
};

/** The shared secret is in each body: anyone who has seen a notification can send one. */
async function notifyFailure(stack: Stack, payment: PaymentRow): Promise<number> {
  const changes = { state: 'FAILED', failed_reason: 'timeout' };
  return (await notify(stack, notification(stack, payment, changes))).status;
}
