import { randomUUID } from 'node:crypto';
import { startCardprocBench, IPN_PATH, type CardprocBench } from '../../support/simulator/cardproc-bench';
import { SHOP } from '../../support/simulator/cardproc-client';

const INVALID = 0;
const COMPLETED = 1;
const FAILED = 2;

let bench: CardprocBench;
beforeEach(async () => {
  bench = await startCardprocBench();
});
afterEach(() => bench.stop());

/** Long enough for jobs that are due at once, too short for repetitions and late jobs. */
const settle = () => bench.client.advance(100);
const statusOf = async (trackingId: string) => (await bench.client.status(trackingId)).body;

describe('row 1: paid', () => {
  it.each([
    ['pay_card', 'Visa'],
    ['pay_mobile', 'MpesaKE'],
  ])('%s: status 1 as %s, one notification, and the browser returns', async (action, method) => {
    const { client, ipn } = bench;
    const id = `cp-${randomUUID()}`;
    const trackingId = await client.order({ id });
    const returnUrl = `${SHOP}/paid?basket=7&OrderTrackingId=${trackingId}&OrderMerchantReference=${id}&OrderNotificationType=IPNCHANGE`;
    expect((await client.decide(trackingId, action, true)).body).toEqual({
      success: true,
      order_tracking_id: trackingId,
      action,
      return_url: returnUrl,
    });
    await settle();
    const paid = await statusOf(trackingId);
    expect(paid).toMatchObject({ status_code: COMPLETED, payment_method: method, amount: 1500 });
    expect(ipn.received).toEqual([
      {
        method: 'POST',
        path: IPN_PATH,
        contentType: 'application/json',
        parameters: {
          OrderTrackingId: trackingId,
          OrderMerchantReference: id,
          OrderNotificationType: 'IPNCHANGE',
        },
        text: expect.any(String),
      },
    ]);
    expect(await client.visited()).toEqual([returnUrl]);
    expect(await client.books()).toEqual({ KES: { successes: 1, amount: '1500.00' } });
    expect(await client.successes()).toMatchObject([
      { reference: trackingId, receipt: paid['confirmation_code'], amount: '1500.00', currency: 'KES' },
    ]);
  });

  it('notifies by GET, with its parameters after those of the address, when the address was registered for GET', async () => {
    const { client, ipn } = bench;
    await client.notifiedAt(`${ipn.url}/listen?shop=a%20b`, 'GET');
    const id = `cp-${randomUUID()}`;
    const trackingId = await client.order({ id });
    await client.decide(trackingId, 'pay_card');
    await client.advance(60_000);
    expect(ipn.received).toMatchObject([
      {
        method: 'GET',
        path: `/listen?shop=a%20b&OrderTrackingId=${trackingId}&OrderMerchantReference=${id}&OrderNotificationType=IPNCHANGE`,
        contentType: undefined,
        text: '',
      },
    ]);
  });

  it('can be paid only once', async () => {
    const trackingId = await bench.client.order();
    await bench.client.decide(trackingId, 'pay_card');
    for (const action of ['pay_card', 'pay_mobile', 'fail', 'cancel']) {
      expect((await bench.client.decide(trackingId, action)).status).toBe(409);
    }
    expect(await bench.client.books()).toEqual({ KES: { successes: 1, amount: '1500.00' } });
  });
});

it('row 2: unpaid until the customer acts', async () => {
  const trackingId = await bench.client.order();
  await bench.client.advance(24 * 3_600_000);
  bench.client.forgetToken();
  expect(await bench.client.status(trackingId)).toMatchObject({
    status: 200,
    body: { status_code: INVALID, status: '500', error: { code: 'payment_details_not_found' } },
  });
  expect(bench.reported()).toEqual([]);
});

it('row 3: failed, then paid on retry, with one notification each', async () => {
  const { client, reported } = bench;
  const trackingId = await client.order();
  expect((await client.decide(trackingId, 'fail')).body['return_url']).toBeNull();
  await settle();
  expect(await client.stateOf(trackingId)).toBe(FAILED);
  expect(reported()).toEqual([trackingId]);
  expect(await client.books()).toEqual({});

  await client.decide(trackingId, 'pay_card');
  await settle();
  expect(await client.stateOf(trackingId)).toBe(COMPLETED);
  expect(reported()).toEqual([trackingId, trackingId]);
});

it.each([
  [
    'fail',
    { payment_status_code: '', description: expect.stringContaining('Unable to Authorize') as unknown },
  ],
  ['fail_mobile', { payment_status_code: 'request_terminated_by_user', description: '' }],
])('row 3: %s gives the reason as the bank or the network does', async (action, why) => {
  const trackingId = await bench.client.order();
  await bench.client.decide(trackingId, action);
  expect(await statusOf(trackingId)).toMatchObject({ status_code: FAILED, ...why });
});

it('an order is refused while the provider has lost its address, until the address is registered again', async () => {
  const { client, ipn } = bench;
  await client.order();
  const { body } = await client.post('/control/cardproc/registrations', { action: 'revoke' });
  expect(body).toEqual({ success: true, revoked: 1 });
  expect((await client.listIpns()).body).toEqual([]);
  expect((await client.submit()).body).toMatchObject({ error: { code: 'InvalidIpnId' } });
  await client.notifiedAt(`${ipn.url}${IPN_PATH}`);
  expect((await client.submit()).body).toMatchObject({ error: null });
});

describe('row 4: cancelled by the customer', () => {
  it.each([
    ['to the cancellation address, unchanged', {}, () => `${SHOP}/cancelled`],
    [
      'to the callback address when there is no other',
      { cancellation_url: undefined, callback_url: `${SHOP}/back` },
      (id: string, reference: string) =>
        `${SHOP}/back?OrderTrackingId=${id}&OrderMerchantReference=${reference}&OrderNotificationType=IPNCHANGE`,
    ],
  ])('the browser goes %s, status 0 and no notification', async (_where, changes, expected) => {
    const { client } = bench;
    const reference = `cp-${randomUUID()}`;
    const trackingId = await client.order({ ...changes, id: reference });
    await client.decide(trackingId, 'cancel');
    await settle();
    expect(await client.visited()).toEqual([expected(trackingId, reference)]);
    expect(await client.stateOf(trackingId)).toBe(INVALID);
    expect(bench.reported()).toEqual([]);
    expect((await client.decide(trackingId, 'pay_card')).status).toBe(200);
  });
});

it('row 5: the customer closes the tab, and only the notification arrives', async () => {
  const trackingId = await bench.client.order();
  expect((await bench.client.decide(trackingId, 'pay_card', false)).body['return_url']).toBeNull();
  await settle();
  expect(await bench.client.stateOf(trackingId)).toBe(COMPLETED);
  expect(bench.reported()).toEqual([trackingId]);
  expect(await bench.client.visited()).toEqual([]);
});

it('row 16: a token that expires early is refused with 401, and a new one works', async () => {
  const { client } = bench;
  const trackingId = await client.order();
  const { body } = await client.post('/control/cardproc/tokens', { action: 'expire' });
  expect(body).toEqual({ success: true, expired: 1 });
  expect((await client.status(trackingId)).status).toBe(401);
  expect((await client.status(trackingId)).status).toBe(401);
  client.forgetToken();
  expect((await client.status(trackingId)).status).toBe(200);
});

it('row 18: a repeated id is refused, and there is no second order', async () => {
  const { client } = bench;
  const id = `cp-${randomUUID()}`;
  const trackingId = await client.order({ id });
  const { status, body } = await client.submit({ id, amount: 99 });
  expect(status).toBe(200);
  expect(body).toMatchObject({ order_tracking_id: null, error: { code: 'duplicate_order_id' } });
  expect((await statusOf(trackingId))['amount']).toBe(1500);
  expect((await client.call('/orders')).text.split(id)).toHaveLength(2);
});

describe('POST /control/cardproc/orders/<order_tracking_id>', () => {
  it('lists the values that it takes', async () => {
    const trackingId = await bench.client.order();
    const path = `/control/cardproc/orders/${trackingId}`;
    expect(await bench.client.post(path, { action: 'pay' })).toMatchObject({
      status: 400,
      body: {
        success: false,
        error: 'action must be one of: pay_card, pay_mobile, fail, fail_mobile, cancel, pay_late, reverse',
      },
    });
    expect((await bench.client.post(path, { action: 'fail', return: 'yes' })).status).toBe(400);
    expect((await bench.client.decide(randomUUID(), 'pay_card')).status).toBe(404);
    expect((await bench.client.post('/control/cardproc/tokens', {})).status).toBe(400);
    expect(await bench.client.stateOf(trackingId)).toBe(INVALID);
  });

  it('can send the browser back when the customer leaves after a failure', async () => {
    const trackingId = await bench.client.order();
    await bench.client.decide(trackingId, 'fail', true);
    await settle();
    expect(await bench.client.visited()).toEqual([expect.stringContaining(`${SHOP}/paid?basket=7&`)]);
    expect(await bench.client.stateOf(trackingId)).toBe(FAILED);
  });
});

it('every amount of the documented table is on the index page', async () => {
  const { text } = await bench.client.call('/');
  for (const cents of ['05', '06', '07', '08', '09', '10', '11', '12', '13', '14']) {
    expect(text).toContain(`amount ….${cents}`);
  }
});
