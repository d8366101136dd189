/**
 * kill -9 while buyers approve and merchants capture: the provider keeps our money, and each order is credited once.
 */
import { expectClean } from '../../../support/expect-clean';
import { startStack, type OwnStack, type TestMerchant } from '../../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import {
  capture,
  decide,
  newOrder,
  stored,
  notifiedOf,
  walletOf,
  type Order,
} from '../../../support/rails/walletpay/payments';

const orders = 6;
const eachMinor = 2_500n;

describe('kill -9 in the middle of orders', () => {
  let stack: OwnStack;
  let provider: SimulatorControl;
  let merchant: TestMerchant;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 40 });
    provider = simulatorControl(stack.simulatorUrl, 'walletpay');
  });
  beforeEach(async () => {
    merchant = await stack.createMerchant();
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  const begin = () => Promise.all(Array.from({ length: orders }, () => newOrder(stack, merchant)));

  async function expectEachCreditedOnce(begun: Order[]): Promise<void> {
    for (const { id } of begun) {
      await notifiedOf(merchant, id, 'Completed');
      await stored(stack, id, { state: 'succeeded' });
    }
    expect(await walletOf(stack, merchant)).toBe(BigInt(begun.length) * eachMinor);
  }

  it('of the worker: orders approved meanwhile are captured when it is back', async () => {
    const begun = await begin();
    const approvals = begun.map((order) => decide(provider, order, 'approve_and_close'));
    await stack.kill('worker');
    await Promise.all(approvals);
    await stack.start('worker');
    await expectEachCreditedOnce(begun);
  });

  it('of the worker, after the provider has captured and its answer is lost', async () => {
    const begun = await begin();
    for (const { token } of begun) {
      await provider.next({ call: 'capture', behave: 'delay', ms: 60_000, where: { order_id: token } });
    }
    await Promise.all(begun.map((order) => decide(provider, order, 'approve_and_close')));
    const [first] = begun;
    await stored(stack, first?.id ?? '', { state: 'pending' });
    await stack.kill('worker');
    await stack.start('worker');
    await expectEachCreditedOnce(begun);
  });

  it('of the API: an interrupted capture is answered when it is requested again', async () => {
    const begun = await begin();
    await Promise.all(begun.map((order) => decide(provider, order, 'approve')));
    const cutOff = begun.map((order) => capture(stack, merchant, order).catch(() => undefined));
    await stack.kill('api');
    await Promise.all(cutOff);
    await stack.start('api');
    for (const order of begun) {
      const { status, body } = await capture(stack, merchant, order);
      expect([status, body.data?.status]).toEqual([200, 'Completed']);
    }
    await expectEachCreditedOnce(begun);
  });
});
