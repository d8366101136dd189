/** Four prompts for customers in Kenya: one per outcome that the sandbox derives from the phone number. */
import {
  type DemoContext,
  minorOf,
  newReference,
  type PaymentResult,
  paymentResult,
  type RailDemo,
} from '../../rail-kit/demo';

interface Scenario {
  what: string;
  phone: string;
  status: string;
  resultCode: string;
  /** In the simulator's time; without it the payer reacts at once. */
  waitsMs?: number;
}

const scenarios: Scenario[] = [
  { what: 'pays', phone: '254708374149', status: 'Success', resultCode: '0' },
  { what: 'has too little money', phone: '254711223344', status: 'Failed', resultCode: '1' },
  { what: 'cancels', phone: '254722334455', status: 'Cancelled', resultCode: '1032' },
  { what: 'does not answer', phone: '254733445566', status: 'Timeout', resultCode: '1037', waitsMs: 61_000 },
];

const rail = 'STK push';
const amount = 1250;

export const stkDemo: RailDemo = {
  rail,
  shows: 'paid, too little money, cancelled, no answer',
  async run(context) {
    const pushed = await Promise.all(
      scenarios.map(async (scenario) => ({ scenario, paymentId: await push(context, scenario) })),
    );
    const isQuick = ({ scenario }: { scenario: Scenario }) => scenario.waitsMs === undefined;
    const ended = (ones: typeof pushed) =>
      Promise.all(ones.map(({ scenario, paymentId }) => outcomeOf(context, scenario, paymentId)));
    const quick = await ended(pushed.filter(isQuick));
    // The simulator's clock is moved, so that nobody waits a minute for an unanswered prompt.
    await context.simulator.advance(Math.max(0, ...scenarios.map(({ waitsMs = 0 }) => waitsMs)));
    return [...quick, ...(await ended(pushed.filter((one) => !isQuick(one))))];
  },
};

async function push({ api }: DemoContext, { phone, what }: Scenario): Promise<string> {
  const answer = await api.post('/api/v1/stk_push', {
    phone_number: phone,
    amount,
    account_reference: newReference(),
    order_id: newReference(),
    transaction_desc: 'Malipo demo',
  });
  const { payment_id: paymentId } = (answer['data'] ?? {}) as { payment_id?: string };
  if (!paymentId) throw new Error(`the payment of the customer who ${what} has no payment_id`);
  return paymentId;
}

async function outcomeOf(
  context: DemoContext,
  { what, status, resultCode }: Scenario,
  paymentId: string,
): Promise<PaymentResult> {
  const webhook = await context.webhooks.next(
    `the customer who ${what}`,
    (body) => body['payment_id'] === paymentId,
  );
  const { body } = webhook;
  const paid = status === 'Success' ? minorOf(amount, 'KES') : 0n;
  return paymentResult(context, {
    rail,
    what: `customer ${what}`,
    workflowId: `stk-push/${paymentId}`,
    outcome: `${String(body['status'])} (${String(body['result_code'])})`,
    expected: `${status} (${resultCode})`,
    webhooks: [webhook],
    faults: [
      minorOf(body['actual_amount'], 'KES') !== paid && `actual_amount is ${String(body['actual_amount'])}`,
    ],
    gains: [{ account: 'wallet', currency: 'KES', minor: paid }],
  });
}
