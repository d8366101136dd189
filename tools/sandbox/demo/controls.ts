/** Uganda: a payout that a limit refuses, and one to a stranger that waits until a second person releases it. */
import { randomInt } from 'node:crypto';
import {
  type DemoContext,
  minorOf,
  newReference,
  type PaymentResult,
  paymentResult,
  type RailDemo,
} from '../../../src/rail-kit/demo';

const rail = 'Outflow controls';
const [country, currency] = ['UGA', 'UGX'] as const;
/** Whom no earlier start has paid, and whom the simulated network pays. */
const newPhone = () => `+25677${String(randomInt(10_000)).padStart(4, '0')}789`;
const amounts = { float: '50000', most: '20000', refused: '30000', stranger: '10000', unasked: '5000' };

export const controlsDemo: RailDemo = {
  rail,
  async run(context) {
    const { operator } = context;
    await operator.addFloat({ rail: 'momo', country, currency, amount: amounts.float });
    const above = ['--amount', amounts.unasked, '--cooldown', '24h'];
    const limits = [
      await operator.limit('per_payment', currency, ['--amount', amounts.most]),
      await operator.limit('first_payment_cooldown', currency, above),
    ];
    try {
      return [await reachLimit(context), await waitAndRelease(context)];
    } finally {
      // Whoever goes on with the sandbox is not to stumble over them.
      for (const limit of limits) await operator.unlimit(limit);
    }
  },
};

async function reachLimit(context: DemoContext): Promise<PaymentResult> {
  const { status, body } = await context.api.ask('/api/v1/momo/payout', payout(amounts.refused));
  return paymentResult(context, {
    rail,
    what: `payout of ${amounts.refused} ${currency}, at most ${amounts.most} a payment`,
    workflowId: undefined,
    outcome: `${String(status)} ${String(body['code'])} (${String(body['limit'])})`,
    expected: '400 OUTFLOW_LIMIT_REACHED (per_payment)',
    webhooks: [],
  });
}

async function waitAndRelease(context: DemoContext): Promise<PaymentResult> {
  const asked = await context.api.post('/api/v1/momo/payout', payout(amounts.stranger));
  const { transaction_id: id, status, hold_reason: reason } = asked;
  await context.operator.release(String(id), 'the recipient was called');
  const webhook = await context.webhooks.next(
    'the released payout',
    (body) => body['transaction_id'] === id && body['status'] !== 'Processing',
  );
  const minor = minorOf(amounts.float, currency) - minorOf(amounts.stranger, currency);
  return paymentResult(context, {
    rail,
    what: `payout of ${amounts.stranger} ${currency} to a stranger, released`,
    workflowId: `momo-payout/${String(id)}`,
    outcome: `${String(status)}, then ${String(webhook.body['status'])}`,
    expected: 'ENQUEUED, then Success',
    webhooks: [webhook],
    faults: [reason !== 'FIRST_PAYMENT_COOLDOWN' && `it waits for ${String(reason)}`],
    gains: [{ account: 'float', currency, minor }],
  });
}

function payout(amount: string): Record<string, unknown> {
  return { amount, currency, country, phone_number: newPhone(), account_reference: newReference() };
}
