/** Uganda: a payout that a limit rejects, and one to a new recipient, on hold until a second user releases it. */
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
/** A number that no earlier start has paid, and that the simulated network accepts. */
const newPhone = () => `+25677${String(randomInt(10_000)).padStart(4, '0')}789`;
const amounts = { float: '50000', most: '20000', refused: '30000', newRecipient: '10000', unasked: '5000' };

export const controlsDemo: RailDemo = {
  rail,
  shows: 'a payout above a limit, one on hold released',
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
      // Later users of the sandbox must not meet these limits.
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
  const asked = await context.api.post('/api/v1/momo/payout', payout(amounts.newRecipient));
  const { transaction_id: id, status, hold_reason: reason } = asked;
  await context.operator.release(String(id), 'the recipient was called');
  const webhook = await context.webhooks.next(
    'the released payout',
    (body) => body['transaction_id'] === id && body['status'] !== 'Processing',
  );
  const minor = minorOf(amounts.float, currency) - minorOf(amounts.newRecipient, currency);
  return paymentResult(context, {
    rail,
    what: `payout of ${amounts.newRecipient} ${currency} to a new recipient, released`,
    workflowId: `momo-payout/${String(id)}`,
    outcome: `${String(status)}, then ${String(webhook.body['status'])}`,
    expected: 'ENQUEUED, then Success',
    webhooks: [webhook],
    faults: [reason !== 'FIRST_PAYMENT_COOLDOWN' && `on hold: ${String(reason)}`],
    gains: [{ account: 'float', currency, minor }],
  });
}

function payout(amount: string): Record<string, unknown> {
  return { amount, currency, country, phone_number: newPhone(), account_reference: newReference() };
}
