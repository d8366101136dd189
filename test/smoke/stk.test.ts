import { call, paymentIdOf, stkPush } from '../support/merchant-client';
import { creditsOf, ended } from '../support/payments/timeline';
import { verifySignature } from '../support/webhook-receiver';
import { smoke } from './stage';

const stage = smoke();

it('an STK push is accepted, paid and booked, and its merchant gets a signed webhook', async () => {
  const { stack, merchant } = stage;
  const accepted = await call(stack, merchant, 'POST', '/api/v1/stk_push', stkPush({ order_id: 'A-1' }));
  expect(accepted.status).toBe(200);
  const paymentId = paymentIdOf(accepted);
  const webhook = await merchant.receiver.next(({ body }) => body.payment_id === paymentId);
  verifySignature(webhook, merchant.webhookSecret);
  expect(webhook.body).toMatchObject({
    status: 'Success',
    result_code: '0',
    actual_amount: 1250,
    order_id: 'A-1',
  });
  await ended(stack.db, paymentId, ['succeeded']);
  expect(await creditsOf(stack.db, paymentId)).toEqual([125_000n]);
  const status = await call(stack, merchant, 'GET', `/api/v1/stk_push/status?payment_id=${paymentId}`);
  expect(status.body).toMatchObject({ success: true, data: { status: 'Success', actual_amount: 1250 } });
  const balance = await call(stack, merchant, 'GET', '/api/v1/query_balance');
  expect(balance.body).toMatchObject({ success: true, balance: 1250, currency: 'KES' });
});
