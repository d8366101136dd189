import { expectClean } from '../../../support/expect-clean';
import { atRest, caseOpened, creditsOf, webhooksOf } from '../../../support/payments/timeline';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import {
  capture,
  decide,
  eventTaken,
  eventsOf,
  floatOf,
  canPayOut,
  newOrder,
  newPayout,
  paidOrder,
  payoutRequest,
  post,
  shownAs,
  stored,
  notifiedOf,
  type Order,
} from '../../../support/rails/walletpay/payments';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

let stack: Stack;
let merchant: TestMerchant;
let provider: SimulatorControl;
beforeAll(async () => {
  stack = await startStack({ timeScale: 60 });
  merchant = await stack.createMerchant();
  provider = simulatorControl(stack.simulatorUrl, 'walletpay');
});
afterAll(async () => {
  await expectClean({ ...stack, simulatorUrl: stack.simulatorUrl });
  await stack.stop();
});

const statusesOf = async (id: string) => (await webhooksOf(stack.db, id)).map(({ status }) => status);

/** Whatever the provider, the buyer and the network do: it is credited once, or not at all. */
describe('an order, in every case', () => {
  const capturesOf = async ({ token }: Order) =>
    (await provider.exchanges('capture')).filter(({ url }) => url.includes(token));

  async function creditedOnce(order: Order, minor: bigint): Promise<void> {
    await notifiedOf(merchant, order.id, 'Completed');
    await atRest(stack.db, order.id);
    expect(await creditsOf(stack.db, order.id)).toEqual([minor]);
    expect(await statusesOf(order.id)).toEqual(['Completed']);
  }

  async function notCredited(order: Order, code: string): Promise<void> {
    const reported = await notifiedOf(merchant, order.id, 'Failed');
    expect(reported.body).toMatchObject({
      failure_code: code,
      credited_amount: null,
      credited_currency: null,
    });
    await atRest(stack.db, order.id);
    expect(await creditsOf(stack.db, order.id)).toEqual([]);
  }

  it('1: approved, returned and captured, is credited once; both events change nothing', async () => {
    const order = await paidOrder(stack, merchant, provider);
    await eventTaken(provider, order.token, 'CHECKOUT.ORDER.APPROVED');
    await eventTaken(provider, order.token, 'PAYMENT.CAPTURE.COMPLETED');
    await creditedOnce(order, 2_500n);
    expect(await capturesOf(order)).toHaveLength(1);
  });

  it('2: whose buyer closes the tab is captured by the event', async () => {
    const order = await newOrder(stack, merchant);
    await decide(provider, order, 'approve_and_close');
    await creditedOnce(order, 2_500n);
  });

  it('3: whose buyer cancels stays open: there may be another attempt', async () => {
    const order = await newOrder(stack, merchant);
    await decide(provider, order, 'cancel');
    expect((await capture(stack, merchant, order)).body.code).toBe('ORDER_NOT_APPROVED');
    await stored(stack, order.id, { state: 'pending' });
  });

  it.each([
    ['DENIED', '4.01'],
    ['DECLINED', '4.02'],
  ])('4: whose capture is %s fails', async (_event, amount) => {
    const order = await newOrder(stack, merchant, { amount });
    await decide(provider, order, 'approve_and_close');
    await notCredited(order, 'CAPTURE_DECLINED');
  });

  it('5: whose capture is pending is Pending until it completes', async () => {
    const order = await newOrder(stack, merchant, { amount: '5.03' });
    await decide(provider, order, 'approve_and_close');
    await stored(stack, order.id, { state: 'pending' });
    await shownAs(
      stack,
      merchant,
      'order_status',
      { order_id: order.orderId },
      { capture_status: 'PENDING', status: 'Pending' },
    );
    expect(await creditsOf(stack.db, order.id)).toEqual([]);
    await provider.advance(61 * second);
    await creditedOnce(order, 503n);
  });

  it('5: whose capture is pending and then denied fails', async () => {
    const order = await newOrder(stack, merchant, { amount: '5.04' });
    await decide(provider, order, 'approve_and_close');
    await provider.advance(61 * second);
    await notCredited(order, 'CAPTURE_DECLINED');
  });

  it('6: whose instrument is declined once is captured at the next attempt', async () => {
    const order = await newOrder(stack, merchant, { amount: '6.05' });
    await decide(provider, order, 'approve_and_close');
    await creditedOnce(order, 605n);
    expect((await capturesOf(order)).length).toBeGreaterThan(1);
  });

  it('7: captured again, also after its key expired, is credited once', async () => {
    const order = await paidOrder(stack, merchant, provider);
    await provider.advance(7 * hour);
    expect((await capture(stack, merchant, order)).body.data).toMatchObject({
      status: 'Completed',
      capture_id: order.captureId,
    });
    await creditedOnce(order, 2_500n);
  });

  it("7: captured with another key is found by the order's own status", async () => {
    const order = await newOrder(stack, merchant);
    await decide(provider, order, 'approve_and_close');
    await provider.next({ call: 'capture', behave: 'act_then_drop', where: { order_id: order.token } });
    await creditedOnce(order, 2_500n);
  });

  it('8: captured with a 500 is credited once', async () => {
    const order = await newOrder(stack, merchant, { amount: '8.06' });
    await decide(provider, order, 'approve_and_close');
    await creditedOnce(order, 806n);
  });

  it('9: whose events are lost is found by a query', async () => {
    const order = await newOrder(stack, merchant, { amount: '9.07' });
    await decide(provider, order, 'approve_and_close');
    expect(await eventsOf(provider, order.token)).toEqual([]);
    // The first query is due two minutes after the submission.
    await creditedOnce(order, 907n);
  });

  it('9: whose events are late, triple or out of order is credited once', async () => {
    const orders = await Promise.all(
      ['9.08', '9.09', '9.10'].map(async (amount) => newOrder(stack, merchant, { amount })),
    );
    for (const order of orders) {
      await decide(provider, order, 'approve');
      expect((await capture(stack, merchant, order)).body.data).toMatchObject({ status: 'Completed' });
    }
    await provider.advance(3 * minute);
    const [late, triple, reordered] = orders as [Order, Order, Order];
    for (const order of orders) {
      await eventTaken(provider, order.token, 'PAYMENT.CAPTURE.COMPLETED');
      await eventTaken(provider, order.token, 'CHECKOUT.ORDER.APPROVED');
    }
    const ids = (await eventsOf(provider, triple.token)).map(({ body }) => body['id']);
    expect([ids.length, new Set(ids).size]).toEqual([6, 2]);
    await creditedOnce(late, 908n);
    await creditedOnce(triple, 909n);
    await creditedOnce(reordered, 910n);
  });

  it('10: refunded in full is debited once, and reported with the refund', async () => {
    const order = await paidOrder(stack, merchant, provider);
    await provider.notify(`captures/${order.captureId}`, { action: 'refund' });
    const reported = await notifiedOf(merchant, order.id, 'Refunded');
    expect(reported.body).toMatchObject({
      refund_id: expect.stringMatching(/^[A-Z0-9]{17}$/),
      refund_amount: 25,
      refunded_total: 25,
      refund_currency: 'USD',
      partially_refunded: false,
      credited_amount: 0,
      failure_code: null,
    });
    await atRest(stack.db, order.id);
    expect(await creditsOf(stack.db, order.id)).toEqual([2_500n, -2_500n]);
    expect(await statusesOf(order.id)).toEqual(['Completed', 'Refunded']);
  });

  it('10: refunded in parts is reported for each, with their sum and the rest', async () => {
    const order = await paidOrder(stack, merchant, provider);
    const parts = [
      ['5.00', 500],
      ['7.50', 1_250],
      ['12.50', 2_500],
    ] as const;
    for (const [amount, sum] of parts) {
      await provider.notify(`captures/${order.captureId}`, { action: 'refund', amount });
      await stored(stack, order.id, { returned_minor: String(sum) });
    }
    await atRest(stack.db, order.id);
    expect(await creditsOf(stack.db, order.id)).toEqual([2_500n, -500n, -750n, -1_250n]);
    const reported = (await webhooksOf(stack.db, order.id)).map((body) => [
      body['status'],
      body['refund_amount'],
      body['refunded_total'],
      body['credited_amount'],
      body['partially_refunded'],
    ]);
    expect(reported).toEqual([
      ['Completed', undefined, undefined, 25, undefined],
      ['Refunded', 5, 5, 20, true],
      ['Refunded', 7.5, 12.5, 12.5, true],
      ['Refunded', 12.5, 25, 0, false],
    ]);
  });

  it('10: refunded before we knew that it was captured is credited first and debited then', async () => {
    const order = await newOrder(stack, merchant, { amount: '10.03' });
    await decide(provider, order, 'approve');
    const { body } = await capture(stack, merchant, order);
    expect(body.data?.status).toBe('Pending');
    // Completed after a minute, without a notification, and refunded.
    const where = { order_id: order.token, event_type: 'PAYMENT.CAPTURE.COMPLETED' };
    await provider.next({ call: 'callback', behave: 'drop', where });
    await provider.advance(61 * second);
    await provider.notify(`captures/${String(body.data?.capture_id)}`, { action: 'refund' });
    await stored(stack, order.id, { state: 'refunded' });
    await atRest(stack.db, order.id);
    expect(await creditsOf(stack.db, order.id)).toEqual([1_003n, -1_003n]);
    expect(await statusesOf(order.id)).toEqual(['Completed', 'Refunded']);
  });

  it('10: a refund reported before the order shows it is checked for until it does', async () => {
    const order = await paidOrder(stack, merchant, provider);
    const given = { action: 'refund', amount: '5.00', shown_after_ms: 40 * second };
    await provider.notify(`captures/${order.captureId}`, given);
    await eventTaken(provider, order.captureId, 'PAYMENT.CAPTURE.REFUNDED');
    await stored(stack, order.id, { state: 'refunded', returned_minor: '500' });
    await atRest(stack.db, order.id);
    expect(await creditsOf(stack.db, order.id)).toEqual([2_500n, -500n]);
    expect(await statusesOf(order.id)).toEqual(['Completed', 'Refunded']);
  });

  it('10: reversed by the provider is debited, and opens a case', async () => {
    const order = await paidOrder(stack, merchant, provider);
    await provider.notify(`captures/${order.captureId}`, { action: 'reverse' });
    await notifiedOf(merchant, order.id, 'Refunded');
    expect(await caseOpened(stack.db, order.id)).toEqual(['reversed']);
    expect(await creditsOf(stack.db, order.id)).toEqual([2_500n, -2_500n]);
  });

  it('16: survives an expired token and a provider that is too busy', async () => {
    const order = await newOrder(stack, merchant);
    await decide(provider, order, 'approve');
    await provider.next({ call: 'query', behave: 'expired_token', where: { order_id: order.token } });
    await provider.next({ call: 'capture', behave: '429', where: { order_id: order.token }, times: 2 });
    await capture(stack, merchant, order);
    await creditedOnce(order, 2_500n);
  });
});

/** Whatever the provider, the recipient and the network do: the money is sent once, or back in the float. */
describe('a payout, in every case', () => {
  beforeAll(() => canPayOut(stack, merchant, 100_000_000n));

  const reserved = async () => (await floatOf(stack, merchant)).reserved;
  const freeNow = async () => (await floatOf(stack, merchant)).free;

  it('11: that succeeds is spent once', async () => {
    const before = await freeNow();
    const id = await newPayout(stack, merchant);
    await notifiedOf(merchant, id, 'Success');
    await atRest(stack.db, id);
    expect(await freeNow()).toBe(before - 4_000n);
    expect(await statusesOf(id)).toEqual(['Success']);
  });

  it.each([
    ['11: fails', 'failed', 'RECEIVER_ACCOUNT_LOCKED'],
    ['13: is denied with its batch', 'denied', 'RISK_DECLINE'],
    ['13: is blocked', 'blocked', 'REGULATORY_BLOCKED'],
  ])('%s, and its float is back', async (_what, name, reason) => {
    const before = await freeNow();
    const id = await newPayout(stack, merchant, { recipient_email: `${name}@example.org` });
    const reported = await notifiedOf(merchant, id, 'Failed');
    expect(reported.body).toMatchObject({ failure_code: reason, failure_message: expect.any(String) });
    await atRest(stack.db, id);
    expect(await freeNow()).toBe(before);
  });

  it('12: unclaimed in a batch that is SUCCESS is reported as Pending, and is paid once it is claimed', async () => {
    const before = await freeNow();
    const id = await newPayout(stack, merchant, { recipient_email: 'unclaimed@example.org' });
    await eventTaken(provider, id, 'PAYMENT.PAYOUTSBATCH.SUCCESS');
    await stored(stack, id, { state: 'queued' });
    const reported = await notifiedOf(merchant, id, 'Pending');
    expect(reported.body).toMatchObject({
      type: 'payout',
      failure_code: 'RECEIVER_UNREGISTERED',
      failure_message: expect.stringContaining('30 days'),
      credited_amount: null,
    });
    expect(await statusesOf(id)).toEqual(['Pending']);
    expect(await reserved()).toBeGreaterThanOrEqual(4_000n);
    await provider.notify(`items/${id}`, { action: 'claim' });
    await notifiedOf(merchant, id, 'Success');
    await atRest(stack.db, id);
    expect(await freeNow()).toBe(before - 4_000n);
  });

  it('12: unclaimed and returned by the provider fails, and its float is back', async () => {
    const before = await freeNow();
    const id = await newPayout(stack, merchant, { recipient_email: 'unclaimed@example.org' });
    await stored(stack, id, { state: 'queued' });
    await provider.notify(`items/${id}`, { action: 'return' });
    const reported = await notifiedOf(merchant, id, 'Failed');
    expect(reported.body).toMatchObject({ failure_code: 'UNCLAIMED_RETURNED' });
    await atRest(stack.db, id);
    expect(await freeNow()).toBe(before);
  });

  it('13: on hold stays Pending until the provider has reviewed it', async () => {
    const id = await newPayout(stack, merchant, { recipient_email: 'held@example.org' });
    await shownAs(stack, merchant, 'payout_status', { payout_id: id }, { item_status: 'ONHOLD' });
    await provider.notify(`items/${id}`, { action: 'claim' });
    await notifiedOf(merchant, id, 'Success');
  });

  it('14: whose answer was lost is sent once', async () => {
    const before = await freeNow();
    const id = await newPayout(stack, merchant, { recipient_email: 'lost@example.org' });
    await notifiedOf(merchant, id, 'Success');
    await atRest(stack.db, id);
    expect(await freeNow()).toBe(before - 4_000n);
  });

  it('14: without any answer is found by its own id, and sent once', async () => {
    const before = await freeNow();
    const request = payoutRequest({ recipient_email: 'ana@example.org' });
    const where = { receiver: 'ana@example.org' };
    await provider.next({ call: 'payout', behave: 'act_then_500', where, times: 1 });
    await provider.next({ call: 'payout', behave: '500', where, times: 1 });
    const { body } = await post(stack, merchant, 'create_payout', request);
    const id = String(body.data?.payout_id);
    const reported = await notifiedOf(merchant, id, 'Success');
    expect(reported.body['provider_reference']).toMatch(/^[A-Z0-9]{13}$/);
    await atRest(stack.db, id);
    expect(await freeNow()).toBe(before - 4_000n);
  });

  it('9: whose events are lost is found by a query', async () => {
    const where = { receiver: 'silent@example.org' };
    await provider.next({ call: 'callback', behave: 'drop', where, times: 10 });
    const id = await newPayout(stack, merchant, { recipient_email: 'silent@example.org' });
    await notifiedOf(merchant, id, 'Success');
  });
});
