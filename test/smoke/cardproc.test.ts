import { creditsOf, ended } from '../support/payments/timeline';
import { accepted, customer, post, statusPath } from '../support/rails/cardproc/payments';
import { simulatorControl } from '../support/rails/simulator-control';
import { verifySignature } from '../support/webhook-receiver';
import { smoke } from './stage';

const stage = smoke();

it.each(['pay_card', 'pay_mobile'] as const)(
  'a hosted checkout that ends with %s is booked, and its merchant gets a signed webhook',
  async (action) => {
    const { stack, merchant } = stage;
    const order = await accepted(stack, merchant, { amount: 1500 });
    await customer(simulatorControl(stack.simulatorUrl, 'cardproc'), order, action, true);
    const webhook = await merchant.receiver.next(({ body }) => body['transaction_id'] === order.payment_id);
    verifySignature(webhook, merchant.webhookSecret);
    expect(webhook.body).toMatchObject({ status: 'COMPLETED', amount: 1500, currency: 'KES' });
    await ended(stack.db, order.payment_id, ['succeeded']);
    expect(await creditsOf(stack.db, order.payment_id)).toEqual([150_000n]);
    const status = await post(stack, statusPath, {
      merchant_id: merchant.merchantId,
      order_tracking_id: order.provider_reference,
    });
    expect(status.body).toMatchObject({ success: true, status: 'COMPLETED', is_final: true });
  },
);
