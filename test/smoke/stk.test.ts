import { expectClean } from '../support/expect-clean';
import { startStack, type Stack, type TestMerchant } from '../support/stack';
import { call, paymentIdOf, stkPush } from '../support/merchant-client';
import { verifySignature } from '../support/webhook-receiver';

describe('an STK push from request to webhook', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 20 });
    merchant = await stack.createMerchant();
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  it('is accepted, paid, credited and announced', async () => {
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
    const balance = await call(stack, merchant, 'GET', '/api/v1/query_balance');
    expect(balance.body).toMatchObject({ success: true, balance: 1250, currency: 'KES' });
  });
});
