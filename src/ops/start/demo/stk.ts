import { randomBytes } from 'node:crypto';
import type { DemoContext, DemoRow, RailDemo } from './demo';
import { centsOf } from './merchant-api';

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

const amount = 1250;

export const stkDemo: RailDemo = {
  rail: 'STK push',
  async run(context) {
    const pushed = await Promise.all(
      scenarios.map(async (scenario) => ({ scenario, paymentId: await push(context, scenario) })),
    );
    const isQuick = ({ scenario }: { scenario: Scenario }) => scenario.waitsMs === undefined;
    const quick = await Promise.all(
      pushed.filter(isQuick).map(({ scenario, paymentId }) => outcomeOf(context, scenario, paymentId)),
    );
    // Nobody waits a minute for a prompt that nobody answers: the simulator's clock is moved instead.
    await advanceClock(context, Math.max(0, ...scenarios.map(({ waitsMs = 0 }) => waitsMs)));
    const slow = await Promise.all(
      pushed
        .filter((one) => !isQuick(one))
        .map(({ scenario, paymentId }) => outcomeOf(context, scenario, paymentId)),
    );
    const outcomes = [...quick, ...slow];
    return {
      rows: outcomes.map(({ row }) => row),
      faults: outcomes.flatMap(({ faults }) => faults),
      settledKesCents: outcomes.reduce((sum, outcome) => sum + outcome.settledKesCents, 0n),
    };
  },
};

async function push({ api }: DemoContext, { phone, what }: Scenario): Promise<string> {
  const answer = await api.post('/api/v1/stk_push', {
    phone_number: phone,
    amount,
    // Its own for each start: the same request again within 30 s would be refused as a slip.
    account_reference: `DEMO-${randomBytes(3).toString('hex')}`,
    order_id: `demo-${randomBytes(8).toString('hex')}`,
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
): Promise<{ row: DemoRow; faults: string[]; settledKesCents: bigint }> {
  const customer = `the customer who ${what}`;
  const { body, signatureFault } = await context.webhooks.next(
    customer,
    (b) => b['payment_id'] === paymentId,
  );
  const outcome = `${String(body['status'])} (${String(body['result_code'])})`;
  const expected = `${status} (${resultCode})`;
  const settledKesCents = status === 'Success' ? centsOf(amount) : 0n;
  const told = centsOf(body['actual_amount']);
  const faults = [
    outcome !== expected && `${customer}: ${outcome} instead of ${expected}`,
    signatureFault !== undefined && `${customer}: the webhook's signature is wrong: ${signatureFault}`,
    told !== settledKesCents && `${customer}: actual_amount is ${String(body['actual_amount'])}`,
  ].filter((fault) => fault !== false);
  return {
    row: {
      rail: 'STK push',
      what: `customer ${what}`,
      outcome,
      webhook: signatureFault === undefined ? 'verified' : 'NOT VERIFIED',
      link: context.workflowUrl(`stk-push/${paymentId}`),
    },
    faults,
    settledKesCents,
  };
}

async function advanceClock({ simulatorUrl }: DemoContext, ms: number): Promise<void> {
  const response = await fetch(`${simulatorUrl}/control/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ advance_ms: ms }),
  });
  if (!response.ok) throw new Error(`the simulator's clock could not be moved: ${await response.text()}`);
}
