/**
 * The currencies of each push: `mpesa-stk-push` of the official clients (intasend-python, intasend-node), and
 * `intasend-xb-push`, with the provider that its invoices name, of techliana/intasend-sdk-golang (`SendIntaSendXBPush`
 * and the answers in its tests). The limits are a convention of this simulator.
 */
export const currencies = {
  KES: {
    push: 'mpesa-stk-push',
    provider: 'M-PESA',
    prefix: '254',
    decimals: 2,
    min: 1,
    max: 999_999,
    receiptPrefix: 'KE',
  },
  UGX: {
    push: 'intasend-xb-push',
    provider: 'INTASEND-XB-PUSH',
    prefix: '256',
    decimals: 0,
    min: 500,
    max: 5_000_000,
    receiptPrefix: 'UG',
  },
  TZS: {
    push: 'intasend-xb-push',
    provider: 'INTASEND-XB-PUSH',
    prefix: '255',
    decimals: 0,
    min: 500,
    max: 5_000_000,
    receiptPrefix: 'TZ',
  },
} as const;

export type Currency = keyof typeof currencies;

export const pushes = ['mpesa-stk-push', 'intasend-xb-push'] as const;

export type Push = (typeof pushes)[number];

export function isCurrency(value: unknown): value is Currency {
  return typeof value === 'string' && Object.hasOwn(currencies, value);
}
