/** The payments of a full deployment: each shape is created a few times for real, and then copied. */
import type { PaymentState } from '../../../src/domain/payment';

export interface Shape {
  name: string;
  /** How many of a thousand final, or of a thousand open, payments have this shape. */
  share: number;
  path: string;
  body(n: number): Record<string, unknown>;
  /** Its state. */
  becomes: PaymentState;
  /** It is open, and a payout of it has its own reserve. */
  isOpen?: true;
  /** The buyer approves the order and returns. */
  isApproved?: true;
}

const stk = (phone: string) => ({
  path: '/api/v1/stk_push',
  body: (n: number) => ({
    phone_number: phone,
    amount: '10.00',
    account_reference: `deployment-${n}`,
    transaction_desc: 'benchmark',
  }),
});

/** @param ending the last three digits of the number, which decide the result. */
export const momo = (kind: 'deposit' | 'payout', ending: string) => ({
  path: `/api/v1/momo/${kind}`,
  body: (n: number) => ({
    phone_number: `+26076${String(n % 10_000).padStart(4, '0')}${ending}`,
    amount: '10.00',
    currency: 'ZMW',
    country: 'ZMB',
    account_reference: `deployment-${n}`,
  }),
});

const order = {
  path: '/api/v1/walletpay/create_order',
  body: (n: number) => ({ amount: '10.00', currency: 'USD', order_id: `deployment-${n}` }),
};

export const stays = '129';

export const shapes: readonly Shape[] = [
  { name: 'STK push, paid', share: 469, ...stk('254790000001'), becomes: 'succeeded' },
  { name: 'STK push, cancelled', share: 100, ...stk('254722334455'), becomes: 'cancelled' },
  // It opens a case: one payment in a thousand needs an operator.
  { name: 'STK push, paid short', share: 1, ...stk('254700000710'), becomes: 'succeeded' },
  { name: 'momo deposit, paid', share: 200, ...momo('deposit', '789'), becomes: 'succeeded' },
  { name: 'momo deposit, failed', share: 30, ...momo('deposit', '048'), becomes: 'failed' },
  { name: 'momo payout, paid', share: 150, ...momo('payout', '789'), becomes: 'succeeded' },
  // It is checked for half a year.
  { name: 'wallet order, paid', share: 50, ...order, becomes: 'succeeded', isApproved: true },
  {
    name: 'momo deposit, waiting',
    share: 400,
    ...momo('deposit', stays),
    becomes: 'processing',
    isOpen: true,
  },
  { name: 'momo payout, waiting', share: 300, ...momo('payout', stays), becomes: 'processing', isOpen: true },
  { name: 'wallet order, waiting', share: 300, ...order, becomes: 'pending', isOpen: true },
];

/** How many of `total` each of these shapes has, among open or final ones; the first gets the rounding difference. */
export function countsOf(among: readonly Shape[], isOpen: boolean, total: number): Map<Shape, number> {
  const wanted = among.filter((shape) => (shape.isOpen ?? false) === isOpen);
  const counts = new Map(wanted.map((shape) => [shape, Math.floor((total * shape.share) / 1_000)]));
  const [first] = wanted;
  const given = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (first) counts.set(first, (counts.get(first) ?? 0) + total - given);
  return counts;
}
