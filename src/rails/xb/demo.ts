/** A customer in Uganda and one in Tanzania, each asked on the handset in the own currency. */
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
  run: (context) => Promise.all(customers.map((customer) => collect(context, customer))),
};

async function collect(
  context: DemoContext,
  { currency, phone, where }: (typeof customers)[number],
): Promise<PaymentResult> {
  const apiRef = newReference();
  await context.api.post('/api/v1/xb/stk_push', { currency, phone_number: phone, amount, api_ref: apiRef });
  const webhook = await context.webhooks.next(`the customer in ${where}`, (body) => {
    const { api_ref: told, state } = invoiceOf(body);
    // PROCESSING says that another webhook follows.
    return told === apiRef && state !== 'PROCESSING';
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
    faults: [paid !== `${String(amount)} ${currency}` && `what was paid is ${paid}`],
    gains: [{ account: 'wallet', currency, minor: minorOf(amount, currency) }],
  });
}

function invoiceOf(body: Record<string, unknown>): Record<string, unknown> {
  return (body['invoice'] ?? {}) as Record<string, unknown>;
}
