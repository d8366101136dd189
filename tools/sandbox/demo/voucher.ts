/** A voucher: wallet money behind a mailed code, and its redemption. */
import { randomBytes } from 'node:crypto';
import { waitFor } from '../services/wait-for';
import {
  type DemoContext,
  type PaymentResult,
  paymentResult,
  type RailDemo,
} from '../../../src/rail-kit/demo';

const rail = 'Voucher';
const [amount, currency] = ['100.00', 'KES'] as const;

export const voucherDemo: RailDemo = {
  rail,
  shows: 'mailed and redeemed',
  // It spends the customers' payments.
  afterTheOthers: true,
  async run(context) {
    return [await createAndRedeem(context)];
  },
};

async function createAndRedeem(context: DemoContext): Promise<PaymentResult> {
  const email = `ana-${randomBytes(3).toString('hex')}@example.org`;
  const { data: created } = await context.api.post('/api/v1/create_voucher', { email, amount, currency });
  const { voucher_id: voucherId, status } = created as Record<string, unknown>;
  const text = await waitFor(async () => (await context.simulator.mailsTo(email)).at(-1), {
    what: 'the mail with the code',
    timeoutMs: 30_000,
  });
  const code = /code: (\S+)/.exec(text)?.[1];
  const { data: redeemed } = await context.api.post('/api/v1/redeem_voucher', { code });
  return paymentResult(context, {
    rail,
    what: `voucher of ${amount} ${currency}, mailed and redeemed`,
    workflowId: `voucher/${String(voucherId)}`,
    outcome: `${String(status)}, then ${String((redeemed as Record<string, unknown>)['status'])}`,
    expected: 'Active, then Redeemed',
    webhooks: [],
  });
}
