/** A customer in Uganda and one in Tanzania, each with a prompt in their own currency. */
import {
  type DemoContext,
  minorOf,
  newReference,
  type PaymentResult,
  paymentResult,
  type RailDemo,
} from '../../rail-kit/demo';

const rail = 'Cross-border';
const amount = 20_000;

const customers = [
  { currency: 'UGX', phone: '256700000789', where: 'Uganda' },
  { currency: 'TZS', phone: '255744000789', where: 'Tanzania' },
] as const;

export const xbDemo: RailDemo = {
  rail,
  shows: 'paid in Uganda and in Tanzania',
  run: (context) => Promise.all(customers.map((customer) => collect(context, customer))),
};

async function collect(
  context: DemoContext,
  { currency, phone, where }: (typeof customers)[number],
): Promise<PaymentResult> {
  const apiRef = newReference();
  await context.api.post('/api/v1/xb/stk_push', { currency, phone_number: phone, amount, api_ref: apiRef });
  const webhook = await context.webhooks.next(`the customer in ${where}`, (body) => {
    const { api_ref: reported, state } = invoiceOf(body);
    // After PROCESSING, another webhook follows.
    return reported === apiRef && state !== 'PROCESSING';
  });
  const { state, value, currency: paidIn } = invoiceOf(webhook.body);
  const paid = `${String(value)} ${String(paidIn)}`;
  return paymentResult(context, {
    rail,
    what: `customer in ${where} pays ${String(amount)} ${currency}`,
    workflowId: `xb-push/${String(webhook.body['id'])}`,
    outcome: String(state),
    expected: 'COMPLETE',
    webhooks: [webhook],
    faults: [paid !== `${String(amount)} ${currency}` && `the paid amount is ${paid}`],
    gains: [{ account: 'wallet', currency, minor: minorOf(amount, currency) }],
  });
}

function invoiceOf(body: Record<string, unknown>): Record<string, unknown> {
  return (body['invoice'] ?? {}) as Record<string, unknown>;
}
