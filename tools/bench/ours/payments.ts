/** The payments of the benchmark's merchant: one line of the report each. A new rail adds an entry. */

interface PaymentKind {
  /** The name in the progress output. */
  name: string;
  path: string;
  body(n: number): Record<string, unknown>;
  /** The payment's id in its webhook. */
  idOf(answer: Record<string, unknown>): unknown;
}

const transactionId = (answer: Record<string, unknown>) => answer['transaction_id'];

/** Without a provider, as most merchants send it: it is looked up by the number. */
const transferBody = (n: number) => ({
  phone_number: zambianCustomer(n),
  amount: '10.00',
  currency: 'ZMW',
  country: 'ZMB',
  account_reference: `bench-${n}`,
});

export const paymentKinds = {
  stk_push: {
    name: 'STK pushes',
    path: '/api/v1/stk_push',
    body: (n) => ({
      phone_number: kenyanCustomer(n),
      amount: '10.00',
      account_reference: `bench-${n}`,
      transaction_desc: 'benchmark',
    }),
    idOf: (answer) => (answer['data'] as Record<string, unknown> | undefined)?.['payment_id'],
  },
  momo_deposit: {
    name: 'momo deposits',
    path: '/api/v1/momo/deposit',
    body: transferBody,
    idOf: transactionId,
  },
  momo_payout: {
    name: 'momo payouts',
    path: '/api/v1/momo/payout',
    body: transferBody,
    idOf: transactionId,
  },
} as const satisfies Record<string, PaymentKind>;

export type PaymentKindName = keyof typeof paymentKinds;

/** Different numbers in a row, and none of the simulator's special ones, which end in 600. */
export function kenyanCustomer(n: number): string {
  const digits = String(n % 1_000_000).padStart(6, '0');
  return `25479${digits}1`;
}

/** The same for mobile money, where numbers that end in 789 succeed. */
export function zambianCustomer(n: number): string {
  const digits = String(n % 10_000).padStart(4, '0');
  return `+26076${digits}789`;
}
