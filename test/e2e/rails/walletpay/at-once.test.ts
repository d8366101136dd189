import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { expectClean } from '../../../support/expect-clean';
import { atRest, creditsOf, webhooksOf } from '../../../support/payments/timeline';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { connectEngine, type TestEngine } from '../../../support/workflows/temporal-client';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { capture, decide, newOrder, notifiedOf, type Order } from '../../../support/rails/walletpay/payments';

const hour = 3_600_000;
const orders = 80;
/** The services are shared with the other tests, so the orders come in groups. */
const atOnce = 20;

/** The buyer's return, the provider's events and the end of the order's time, all at the same time. */
describe('an order with several concurrent settlements', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  let engine: TestEngine;
  beforeAll(async () => {
    // The events are sent at once.
    const env = { MALIPO_SIMULATOR_WALLETPAY_DELAY_MS: '0' };
    stack = await startStack({ timeScale: 20, env });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'walletpay');
    engine = await connectEngine(stack);
  });
  afterAll(async () => {
    await engine.close();
    await expectClean({ ...stack, simulatorUrl: stack.simulatorUrl });
    await stack.stop();
  });

  /** Approved, then captured twice, notified twice by the provider, and expired. */
  async function settleAtOnce(order: Order): Promise<void> {
    const payment = await getPaymentOrThrow(stack.db, order.id);
    await decide(provider, order, 'approve');
    const [first, again] = await Promise.all([
      capture(stack, merchant, order),
      capture(stack, merchant, order),
      engine.advance(payment, 6 * hour),
    ]);
    for (const { status, body } of [first, again]) {
      expect([status, body.data?.status]).toEqual([200, 'Completed']);
    }
  }

  it(`is credited exactly once, ${String(orders)} times`, async () => {
    const settled: Order[] = [];
    for (let begun = 0; begun < orders; begun += atOnce) {
      const group = await Promise.all(Array.from({ length: atOnce }, () => newOrder(stack, merchant)));
      await Promise.all(group.map(settleAtOnce));
      settled.push(...group);
    }
    for (const order of settled) {
      await notifiedOf(merchant, order.id, 'Completed');
      await atRest(stack.db, order.id);
      const statuses = (await webhooksOf(stack.db, order.id)).map(({ status }) => status);
      expect([await creditsOf(stack.db, order.id), statuses]).toEqual([[2_500n], ['Completed']]);
    }
  });
});
