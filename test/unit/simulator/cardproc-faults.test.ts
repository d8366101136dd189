import { randomUUID } from 'node:crypto';
import { startCardprocBench, type CardprocBench } from '../../support/simulator/cardproc-bench';

let bench: CardprocBench;
beforeEach(async () => {
  bench = await startCardprocBench();
});
afterEach(() => bench.stop());

it.each(['act_then_500', 'act_then_drop'])(
  'with the fault %s the order is created all the same',
  async (behave) => {
    const { client } = bench;
    const id = `cp-${randomUUID()}`;
    await client.next({ call: 'initiate', behave });
    const answer = await client.submit({ id }).catch(() => undefined);
    expect(answer?.body ?? {}).toEqual({});
    expect((await client.submit({ id })).body).toMatchObject({ error: { code: 'duplicate_order_id' } });
  },
);

it.each(['drop', '500', 'html', '429', '503', 'expired_token'])(
  'with the fault %s the order is not created',
  async (behave) => {
    const { client } = bench;
    const id = `cp-${randomUUID()}`;
    await client.next({ call: 'initiate', behave, where: { merchant_reference: id } });
    const answer = await client.submit({ id }).catch(() => undefined);
    expect(answer?.body['order_tracking_id']).toBeUndefined();
    expect((await client.submit({ id })).body['error']).toBeNull();
    expect((await client.requests()).find(({ call }) => call === 'initiate')).toMatchObject({
      fault: behave,
    });
  },
);

it('a fault can apply to the status calls about one customer', async () => {
  const { client } = bench;
  const phone = '254711000222';
  const spoilt = await client.order({ billing_address: { phone_number: phone } });
  const other = await client.order();
  await client.next({ call: 'query', behave: '503', where: { phone_number: phone } });
  expect((await client.status(other)).status).toBe(200);
  expect((await client.status(spoilt)).status).toBe(503);
  expect((await client.status(spoilt)).status).toBe(200);
});

it('one call can be answered that its token expired, although it did not', async () => {
  const { client } = bench;
  const trackingId = await client.order();
  await client.next({ call: 'query', behave: 'expired_token' });
  expect(await client.status(trackingId)).toMatchObject({
    status: 401,
    body: { error: { code: 'invalid_access_token' } },
  });
  expect((await client.status(trackingId)).status).toBe(200);
});

it.each(['token', 'register_ipn', 'list_ipns', 'initiate', 'query', 'refund', 'cancel'])(
  '%s can be refused as too many requests',
  async (call) => {
    const { client } = bench;
    await client.next({ call, behave: 429 });
    const calls: Record<string, () => Promise<{ status: number }>> = {
      token: () => client.getToken(),
      register_ipn: () => client.registerIpn({}),
      list_ipns: () => client.listIpns(),
      initiate: () => client.submit(),
      query: () => client.status('x'),
      refund: () => client.refund({}),
      cancel: () => client.cancelOrder('x'),
    };
    expect((await calls[call]?.())?.status).toBe(429);
    expect((await calls[call]?.())?.status).toBe(200);
  },
);

it('one notification can be dropped, delayed or sent ten times', async () => {
  const { client, reported } = bench;
  for (const rule of [{ behave: 'drop' }, { behave: 'delay', ms: 60_000 }, { behave: 'duplicate' }]) {
    await client.next({ call: 'callback', ...rule });
  }
  const [dropped, delayed, repeated] = [await client.order(), await client.order(), await client.order()];
  for (const trackingId of [dropped, delayed, repeated]) await client.decide(trackingId, 'pay_card');
  await client.advance(1_000);
  expect(reported()).toEqual(Array(10).fill(repeated));
  await client.advance(60_000);
  expect(reported().slice(10)).toEqual([delayed]);
});

it('notifications can be switched off until the reset', async () => {
  const { client, reported } = bench;
  await client.next({ call: 'callback', behave: 'switched_off' });
  await client.decide(await client.order(), 'pay_card');
  await client.advance(60_000);
  expect(reported()).toEqual([]);
  await client.post('/control/reset', {});
  const heard = await client.order();
  await client.decide(heard, 'pay_card');
  await client.advance(60_000);
  expect(reported()).toEqual([heard]);
});

it('a restart with the same state keeps orders, addresses and scheduled jobs', async () => {
  const { ipn } = bench;
  const reference = `cp-${randomUUID()}`;
  const open = await bench.client.order({ id: reference });
  const deciding = await bench.client.order({ amount: 20.07 });
  const late = await bench.client.order({ amount: 20.09 });
  const paid = await bench.client.order();
  for (const trackingId of [deciding, late, paid]) await bench.client.decide(trackingId, 'pay_card', false);
  await bench.client.advance(1_000);
  const code = (await bench.client.status(paid)).body['confirmation_code'];
  expect((await bench.client.refund({ confirmation_code: code, amount: 1500 })).body['status']).toBe(200);
  const token = await bench.client.bearer();
  const before = ipn.received.length;

  await bench.restart();
  const { client, reported } = bench;
  const path = `/api/Transactions/GetTransactionStatus?orderTrackingId=${open}`;
  expect((await client.call(path, { headers: { authorization: token } })).body['status_code']).toBe(0);
  expect((await client.listIpns()).body).toHaveLength(1);
  expect((await client.submit({ id: reference })).body).toMatchObject({
    error: { code: 'duplicate_order_id' },
  });
  expect((await client.refund({ confirmation_code: code, amount: 1500 })).body['status']).toBe(500);

  await client.advance(70_000);
  expect(await client.stateOf(deciding)).toBe(1);
  expect(await client.stateOf(paid)).toBe(3);
  expect(reported().slice(before).sort()).toEqual([paid, late].sort());
  await client.decide(open, 'pay_card', false);
  await client.advance(1_000);
  expect(reported().at(-1)).toBe(open);
  expect(await client.books()).toEqual({
    KES: { successes: 4, amount: '3040.16', refunds: { successes: 1, amount: '1500.00' } },
  });
});
