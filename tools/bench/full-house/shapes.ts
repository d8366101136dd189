/** The payments that a full house is made of: each is made a few times for real, and then multiplied. */
import type { PaymentState } from '../../../src/domain/payment';

export interface Shape {
  name: string;
  /** How many of a thousand payments that have ended, or of those that wait, are like this. */
  share: number;
  path: string;
  body(n: number): Record<string, unknown>;
  /** How it ends, or stays. */
  becomes: PaymentState;
  /** It waits, and has a hold of its own where it goes out. */
  isOpen?: true;
  /** The buyer approves the order and comes back. */
  isApproved?: true;
}

const stk = (phone: string) => ({
  path: '/api/v1/stk_push',
  body: (n: number) => ({
    phone_number: phone,
    amount: '10.00',
    account_reference: `house-${n}`,
    transaction_desc: 'benchmark',
  }),
});

/** @param ending the last three digits of the number say what becomes of it. */
export const momo = (kind: 'deposit' | 'payout', ending: string) => ({
  path: `/api/v1/momo/${kind}`,
  body: (n: number) => ({
    phone_number: `+26076${String(n % 10_000).padStart(4, '0')}${ending}`,
    amount: '10.00',
    currency: 'ZMW',
    country: 'ZMB',
    account_reference: `house-${n}`,
  }),
});

const order = {
  path: '/api/v1/walletpay/create_order',
  body: (n: number) => ({ amount: '10.00', currency: 'USD', order_id: `house-${n}` }),
};

export const stays = '129';

export const shapes: readonly Shape[] = [
  { name: 'STK push, paid', share: 469, ...stk('254790000001'), becomes: 'succeeded' },
  { name: 'STK push, cancelled', share: 100, ...stk('254722334455'), becomes: 'cancelled' },
  // It opens a case: one payment in a thousand is a person's question.
  { name: 'STK push, paid short', share: 1, ...stk('254700000710'), becomes: 'succeeded' },
  { name: 'momo deposit, paid', share: 200, ...momo('deposit', '789'), becomes: 'succeeded' },
  { name: 'momo deposit, failed', share: 30, ...momo('deposit', '048'), becomes: 'failed' },
  { name: 'momo payout, paid', share: 150, ...momo('payout', '789'), becomes: 'succeeded' },
  // It is looked at for half a year.
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

/** How many of `total` each of these shapes has, of those that wait or of the others; the first takes what rounding leaves over. */
export function countsOf(among: readonly Shape[], isOpen: boolean, total: number): Map<Shape, number> {
  const wanted = among.filter((shape) => (shape.isOpen ?? false) === isOpen);
  const counts = new Map(wanted.map((shape) => [shape, Math.floor((total * shape.share) / 1_000)]));
  const [first] = wanted;
  const given = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (first) counts.set(first, (counts.get(first) ?? 0) + total - given);
  return counts;
}
