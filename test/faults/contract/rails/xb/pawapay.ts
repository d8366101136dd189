import { xbPush } from '../../../../support/rails/xb/payments';
import type { LentContract } from '../../rail-contract';

/** The last three digits decide the result at the provider. */
const digits = { pays: '789', fails: '049', silent: '129' } as const;

/** Mobile money's account: the same provider with its own format, for payments of this rail. */
export const contract: LentContract = {
  lentBy: 'momo',
  settings: { XB_PROVIDER_UGX: 'pawapay', XB_PROVIDER_TZS: 'pawapay' },
  flows: {
    'a cross-border push': {
      kind: 'deposit',
      rail: 'xb',
      customer: (fate, n) => `25677${String(n).padStart(4, '0')}${digits[fate]}`,
      row: (phone) => ({ phone_number: phone }),
      where: (phone) => ({ phone_number: phone }),
      request: (_stack, _merchant, phone) =>
        Promise.resolve({ path: '/api/v1/xb/stk_push', body: xbPush({ phone_number: phone }) }),
    },
  },
};
