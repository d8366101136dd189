import { atRest, creditsOf, webhooksOf } from '../support/payments/timeline';
import { simulatorControl } from '../support/rails/simulator-control';
import {
  floatOf,
  canPayOut,
  newPayout,
  newRefund,
  paidOrder,
  shownAs,
  notifiedOf,
  walletOf,
  webhooksTo,
} from '../support/rails/walletpay/payments';
import { fieldsOfEveryWebhook } from '../support/webhook-fields';
import { verifySignature } from '../support/webhook-receiver';
import { smoke } from './stage';

const stage = smoke();
const provider = () => simulatorControl(stage.stack.simulatorUrl, 'walletpay');

it('credits an order that its buyer approved and its merchant captured, and sends one webhook', async () => {
  const { stack, merchant } = stage;
  const order = await paidOrder(stack, merchant, provider(), { amount: '12.50' });
  const reported = await notifiedOf(merchant, order.id, 'Completed');
  verifySignature(reported, merchant.webhookSecret);
  expect(reported.headers['x-callback-type']).toBe('Wallet-Checkout');
  expect(reported.body).toEqual({
    ...fieldsOfEveryWebhook,
    event_id: reported.headers['webhook-id'],
    type: 'deposit',
    rail: 'walletpay',
    transaction_id: order.id,
    order_id: order.orderId,
    provider_reference: order.token,
    status: 'Completed',
    amount: 12.5,
    currency: 'USD',
    credited_amount: 12.5,
    credited_currency: 'USD',
    failure_code: null,
    failure_message: null,
    correction: false,
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  });
  await atRest(stack.db, order.id);
  expect(await creditsOf(stack.db, order.id)).toEqual([1_250n]);
  expect(await walletOf(stack, merchant)).toBe(1_250n);
  expect(await webhooksOf(stack.db, order.id)).toHaveLength(1);
});

it('pays out from the float, and sends one webhook', async () => {
  const { stack, merchant } = stage;
  await canPayOut(stack, merchant, 10_000n);
  const id = await newPayout(stack, merchant, { amount: '40.00', note: 'Order 77' });
  expect(await floatOf(stack, merchant)).toEqual({ free: 6_000n, reserved: 4_000n });
  const reported = await notifiedOf(merchant, id, 'Success');
  expect(reported.body).toMatchObject({
    type: 'payout',
    amount: 40,
    currency: 'USD',
    credited_amount: null,
    failure_code: null,
  });
  await atRest(stack.db, id);
  expect(await floatOf(stack, merchant)).toEqual({ free: 6_000n, reserved: 0n });
  expect(webhooksTo(merchant, id)).toHaveLength(1);
  await shownAs(stack, merchant, 'payout_status', { payout_id: id }, { status: 'Success' });
});

it('refunds a part of an order from its credit', async () => {
  const { stack, merchant } = stage;
  const order = await paidOrder(stack, merchant, provider(), { amount: '20.00' });
  await notifiedOf(merchant, order.id, 'Completed');
  const before = await walletOf(stack, merchant);
  const id = await newRefund(stack, merchant, order, '5.00');
  await notifiedOf(merchant, id, 'Success');
  expect((await walletOf(stack, merchant)) - before).toBe(-500n);
});
