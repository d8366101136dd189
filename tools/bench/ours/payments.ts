/** What the benchmark's merchant asks for: one line of the report each. A later rail adds an entry. */

interface PaymentKind {
  /** As the progress tells it. */
  name: string;
  path: string;
  body(n: number): Record<string, unknown>;
  /** The id by which the webhook will name the payment. */
  idOf(answer: Record<string, unknown>): unknown;
}

const transactionId = (answer: Record<string, unknown>) => answer['transaction_id'];

/** No provider is named, as most merchants leave it out: the acceptance looks it up by the number. */
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

/** No two payments in a row are alike, and no number is one of the simulator's special ones, which end in 600. */
export function kenyanCustomer(n: number): string {
  const digits = String(n % 1_000_000).padStart(6, '0');
  return `25479${digits}1`;
}

/** The same for mobile money, where a number that ends in 789 pays and is paid. */
export function zambianCustomer(n: number): string {
  const digits = String(n % 10_000).padStart(4, '0');
  return `+26076${digits}789`;
}
