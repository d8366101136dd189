import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { expectClean } from '../../../support/expect-clean';
import { atRest, creditsOf } from '../../../support/payments/timeline';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { eventNamed, sendEvent } from '../../../support/rails/walletpay/events';
import { paidOrder, stored } from '../../../support/rails/walletpay/payments';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { connectEngine, type TestEngine } from '../../../support/workflows/temporal-client';

const timeScale = 20;
const day = 86_400_000;

describe('a paid order', () => {
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

  it('finds a refund whose event was lost half a year later, and accepts an event at any age', async () => {
    const order = await paidOrder(stack, merchant, provider, { amount: '8.07' });
    const giveBack = (amount: string) =>
      provider.notify(`captures/${order.captureId}`, { action: 'refund', amount });
    const payment = await getPaymentOrThrow(stack.db, order.id);
    for (const days of [1, 6, 23, 30, 30, 30]) await engine.advance(payment, (days * day) / timeScale);
    await giveBack('2.00');
    await engine.advance(payment, (60 * day) / timeScale);
    await stored(stack, order.id, { returned_minor: '200' });
    await engine.client.workflow.getHandle(payment.workflow_id).result();
    await giveBack('6.07');
    await sendEvent(stack, eventNamed('PAYMENT.CAPTURE.REFUNDED', { custom_id: order.id }));
    await stored(stack, order.id, { returned_minor: '807' });
    await atRest(stack.db, order.id);
    expect(await creditsOf(stack.db, order.id)).toEqual([807n, -200n, -607n]);
  });
});
