import { minorOf, newReference, paymentResult, type RailDemo } from '../../rail-kit/demo';

const rail = 'Toy bank';

/** A customer pays. */
export const toyDemo: RailDemo = {
  rail,
  shows: 'a collection',
  async run(context) {
    const request = { amount: 10, phone_number: '254700000001', order_id: newReference() };
    const { data } = await context.api.post('/api/v1/toy/collect', request);
    const { payment_id: id } = data as { payment_id: string };
    const webhook = await context.webhooks.next('the customer', (body) => body['payment_id'] === id);
    const result = paymentResult(context, {
      rail,
      what: 'customer pays',
      workflowId: `toy-collection/${id}`,
      outcome: String(webhook.body['status']),
      expected: 'Paid',
      webhooks: [webhook],
      gains: [{ account: 'wallet', currency: 'KES', minor: minorOf(10, 'KES') }],
    });
    return [result];
  },
};
