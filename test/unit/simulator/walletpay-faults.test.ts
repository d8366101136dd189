import { startTestBench, type TestBench } from '../../support/simulator/bench';
import { captureIn, orderFields, payoutFields } from '../../support/simulator/walletpay-client';

const MINUTE = 60_000;

let bench: TestBench;
beforeEach(async () => {
  bench = await startTestBench();
});
afterEach(() => bench.stop());

const reported = () => bench.receiver.received.map(({ body }) => body['event_type']);

describe('scenario 16', () => {
  it('a token expires after nine hours', async () => {
    const { walletpay } = bench;
    const headers = await walletpay.bearer();
    const ask = async () => (await walletpay.call('/v2/checkout/orders/X', { headers })).status;
    expect(await ask()).toBe(404);
    await walletpay.advance(9 * 60 * MINUTE + 1_000);
    expect(await ask()).toBe(401);
    expect((await walletpay.get('/v2/checkout/orders/X')).status).toBe(404);
  });

  it('a call is refused once with 401', async () => {
    const { walletpay } = bench;
    const orderId = await walletpay.approved();
    await walletpay.next({ call: 'capture', behave: '401' });
    const refused = await walletpay.capture(orderId);
    expect([refused.status, refused.body['name']]).toEqual([401, 'AUTHENTICATION_FAILURE']);
    expect((await walletpay.capture(orderId)).status).toBe(201);
  });

  it('429 as often as set', async () => {
    const { walletpay } = bench;
    await walletpay.next({ call: 'initiate', behave: 429, times: 2 });
    for (const status of [429, 429, 200]) {
      const answer = await walletpay.create(orderFields());
      expect(answer.status).toBe(status);
      if (status === 429) expect(answer.body['name']).toBe('RATE_LIMIT_REACHED');
    }
  });
});

it.each(['act_then_500', 'act_then_drop'])(
  'with the fault %s the capture is paid all the same',
  async (behave) => {
    const { walletpay } = bench;
    const orderId = await walletpay.approved();
    await walletpay.next({ call: 'capture', behave, where: { order_id: orderId } });
    await walletpay.capture(orderId, 'key-1').catch(() => undefined);
    expect(await walletpay.captureStatus(orderId)).toBe('COMPLETED');
    const again = await walletpay.capture(orderId, 'key-1');
    expect([again.status, captureIn(again.body)?.status]).toEqual([200, 'COMPLETED']);
    expect(await walletpay.successes()).toHaveLength(1);
  },
);

it.each(['drop', '500', 'html', '503'])('with the fault %s the payout is not created', async (behave) => {
  const { walletpay } = bench;
  await walletpay.next({ call: 'payout', behave, where: { receiver: 'ok@example.org' } });
  const fields = payoutFields('ok@example.org');
  await walletpay.sendPayout(fields).catch(() => undefined);
  await walletpay.advance(MINUTE);
  expect(await walletpay.books()).toEqual({});
  expect((await walletpay.sendPayout(fields)).status).toBe(201);
});

it('a rule applies to one order, named by its custom_id', async () => {
  const { walletpay } = bench;
  const [spoilt, other] = [
    await walletpay.order('12.50', { custom_id: 'tx-spoilt' }),
    await walletpay.order('12.50', { custom_id: 'tx-other' }),
  ];
  await walletpay.next({ call: 'query', behave: '503', where: { custom_id: 'tx-spoilt' } });
  expect((await walletpay.query(other)).status).toBe(200);
  expect((await walletpay.query(spoilt)).status).toBe(503);
  expect((await walletpay.query(spoilt)).status).toBe(200);
});

it('lists requests and answers, without secrets', async () => {
  const { walletpay } = bench;
  await walletpay.captured();
  const requests = await walletpay.requests();
  expect(requests.map(({ call }) => call)).toEqual(['token', 'initiate', 'capture']);
  expect(requests[0]).toMatchObject({
    headers: { authorization: '***' },
    answer: { status: 200, body: { access_token: '***' } },
  });
  expect(requests[2]).toMatchObject({ headers: { authorization: '***' }, answer: { status: 201 } });
});

it('a restart keeps orders, payouts, keys, tokens and scheduled jobs', async () => {
  const { walletpay: before } = bench;
  const orderId = await before.approved('12.03');
  const first = await before.capture(orderId, 'key-1');
  const { itemId } = await before.payout('unclaimed@example.org');
  await before.advance(30_000);
  const headers = await before.bearer();
  await bench.restart();
  const { walletpay } = bench;
  const path = `/v2/checkout/orders/${orderId}`;
  expect((await walletpay.call(path, { headers })).status).toBe(200);
  expect((await walletpay.capture(orderId, 'key-1')).body).toEqual(first.body);
  await walletpay.advance(MINUTE);
  expect(await walletpay.captureStatus(orderId)).toBe('COMPLETED');
  expect(reported().at(-1)).toBe('PAYMENT.CAPTURE.COMPLETED');
  await walletpay.advance(30 * 24 * 60 * MINUTE);
  expect((await walletpay.item(itemId)).transaction_status).toBe('RETURNED');
  const { refund_id: refundId } = (await walletpay.giveBack(String(captureIn(first.body)?.id), '2.00')).body;
  await bench.restart();
  expect((await bench.walletpay.get(`/v2/payments/refunds/${String(refundId)}`)).body).toMatchObject({
    amount: { value: '2.00' },
  });
  expect(await bench.walletpay.books()).toEqual({
    USD: { successes: 1, amount: '12.03', refunds: { successes: 1, amount: '2.00' } },
  });
});
