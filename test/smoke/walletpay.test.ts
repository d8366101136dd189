import { getPaymentOrThrow } from '../../src/payments/record/payments';
import { atRest, creditsOf, webhooksOf } from '../support/payment-story';
import { expectClean } from '../support/expect-clean';
import { startStack, type Stack, type TestMerchant } from '../support/stack';
import { verifySignature } from '../support/webhook-receiver';
import { connectEngine, type TestEngine } from '../support/workflows/temporal-client';
import { simulatorControl, type SimulatorControl } from '../support/rails/simulator-control';
import { eventNamed, sendEvent } from '../support/rails/walletpay/events';
import {
  floatOf,
  mayPayOut,
  newPayout,
  paidOrder,
  shownAs,
  stored,
  toldOf,
  walletOf,
  webhooksTo,
} from '../support/rails/walletpay/payment-story';
import { fieldsOfEveryWebhook } from '../support/webhook-fields';

const timeScale = 20;
const day = 86_400_000;

describe('wallet checkout from request to webhook', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  let engine: TestEngine;
  beforeAll(async () => {
    stack = await startStack({ timeScale });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'walletpay');
    engine = await connectEngine(stack);
  });
  afterAll(async () => {
    await engine.close();
    await expectClean({ ...stack, simulatorUrl: stack.simulatorUrl });
    await stack.stop();
  });

  it('credits an order that its buyer approved and its merchant captured, and tells so once', async () => {
    const order = await paidOrder(stack, merchant, provider, { amount: '12.50' });
    const told = await toldOf(merchant, order.id, 'Completed');
    verifySignature(told, merchant.webhookSecret);
    expect(told.headers['x-callback-type']).toBe('Wallet-Checkout');
    expect(told.body).toEqual({
      ...fieldsOfEveryWebhook,
      event_id: told.headers['webhook-id'],
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

  it('pays out of the float, and tells so once', async () => {
    await mayPayOut(stack, merchant, 10_000n);
    const id = await newPayout(stack, merchant, { amount: '40.00', note: 'Order 77' });
    expect(await floatOf(stack, merchant)).toEqual({ free: 6_000n, reserved: 4_000n });
    const told = await toldOf(merchant, id, 'Success');
    expect(told.body).toMatchObject({
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

  it('finds a refund whose event was lost half a year later, and takes an event at any age', async () => {
    const order = await paidOrder(stack, merchant, provider, { amount: '8.07' });
    const giveBack = (amount: string) =>
      provider.tell(`captures/${order.captureId}`, { action: 'refund', amount });
    const payment = await getPaymentOrThrow(stack.db, order.id);
    for (const days of [1, 6, 23, 30, 30, 30]) await engine.advance(payment, (days * day) / timeScale);
    await giveBack('2.00');
    await engine.advance(payment, (60 * day) / timeScale);
    await stored(stack, order.id, { given_back_minor: '200' });
    await engine.client.workflow.getHandle(payment.workflow_id).result();
    await giveBack('6.07');
    await sendEvent(stack, eventNamed('PAYMENT.CAPTURE.REFUNDED', { custom_id: order.id }));
    await stored(stack, order.id, { given_back_minor: '807' });
    await atRest(stack.db, order.id);
    expect(await creditsOf(stack.db, order.id)).toEqual([807n, -200n, -607n]);
  });
});
