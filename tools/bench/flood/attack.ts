/** Calls of unauthenticated clients, by kind: none of them needs a key. */
import { randomBytes } from 'node:crypto';

export interface Attack {
  path: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

export const attackKinds = ['initiate', 'submit_order', 'wrong_key', 'forged_stk', 'forged_momo'] as const;
export type AttackKind = (typeof attackKinds)[number];

const word = () => randomBytes(12).toString('hex');
const customer = { phone_number: '254700000000', email_address: 'nobody@example.com' };

/** @param merchantId of the merchant whose authenticated calls are measured; the id is public. */
export function attackOf(kind: AttackKind, merchantId: string): Attack {
  const attacks: Record<AttackKind, () => Attack> = {
    initiate: () => ({
      path: '/api/v2/initiate.php',
      headers: {},
      body: {
        merchant_id: merchantId,
        order_id: word(),
        amount: '10.00',
        currency: 'KES',
        description: 'flood',
        ...customer,
        first_name: 'No',
        last_name: 'Body',
      },
    }),
    submit_order: () => ({
      path: '/api/cardproc/submit_order.php',
      headers: {},
      body: {
        merchant_id: merchantId,
        merchant_ref: word(),
        amount: '10.00',
        description: 'flood',
        callback_url: 'http://127.0.0.1:9/back',
        billing_address: customer,
      },
    }),
    wrong_key: () => ({
      path: '/api/v1/stk_push',
      headers: { 'x-api-key': `pk_test_${word()}`, 'x-api-secret': `sk_test_${word()}` },
      body: {},
    }),
    forged_stk: () => ({
      path: `/in/stk/${randomBytes(16).toString('hex')}`,
      headers: {},
      body: { Body: { stkCallback: { ResultCode: 0, CheckoutRequestID: word() } } },
    }),
    forged_momo: () => ({
      path: '/in/momo',
      headers: { signature: 'sig-pp=:AAAA:', 'signature-input': 'sig-pp=("@method");keyid="nobody"' },
      body: { depositId: word(), status: 'COMPLETED' },
    }),
  };
  return attacks[kind]();
}
