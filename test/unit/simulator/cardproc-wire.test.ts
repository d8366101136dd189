import { randomUUID } from 'node:crypto';
import { createSimulator } from '../../../simulator/simulator';
import { createCardprocClient, keys, SHOP } from '../../support/simulator/cardproc-client';
import { startCardprocBench, type CardprocBench } from '../../support/simulator/cardproc-bench';
import { credentials } from '../../support/simulator/credentials';
import type { Fields } from '../../support/simulator/http-client';

const uuid: unknown = expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/);
const localTime: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{0,2}[1-9])?$/);
const utcTime: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{0,2}[1-9])?Z$/);
const apiError = (code: string, message: unknown = expect.any(String)) => ({
  error_type: 'api_error',
  code,
  message,
});
const noError = { error_type: null, code: null, message: null, call_back_url: null };

let bench: CardprocBench;
beforeAll(async () => {
  bench = await startCardprocBench({ env: { CARDPROC_EXTRA_ACCOUNTS: 'shop-key:shop-secret' } });
});
afterAll(() => bench.stop());

describe('POST /api/Auth/RequestToken', () => {
  it('gives a token for five minutes', async () => {
    const before = Date.now();
    const { status, body } = await bench.client.getToken();
    expect(status).toBe(200);
    expect(body).toEqual({
      token: expect.any(String),
      expiryDate: utcTime,
      error: null,
      status: '200',
      message: 'Request processed successfully',
    });
    const livesMs = Date.parse(String(body['expiryDate'])) - before;
    expect(livesMs).toBeGreaterThan(4 * 60_000);
    expect(livesMs).toBeLessThan(6 * 60_000);
  });

  it.each<[string, Fields]>([
    ['a wrong secret', { ...keys, consumer_secret: 'wrong' }],
    ['the secret of another account', { ...keys, consumer_secret: 'shop-secret' }],
    ['nothing', {}],
  ])('answers %s inside a 200', async (_what, given) => {
    expect(await bench.client.getToken(given)).toMatchObject({
      status: 200,
      body: { token: null, error: apiError('invalid_consumer_key_or_secret_provided'), status: '500' },
    });
  });

  it('expires after five minutes', async () => {
    const own = await startCardprocBench();
    try {
      const id = await own.client.order();
      await own.client.advance(4 * 60_000);
      expect((await own.client.status(id)).status).toBe(200);
      await own.client.advance(61_000);
      expect(await own.client.status(id)).toMatchObject({
        status: 401,
        body: { error: apiError('invalid_access_token'), status: '401' },
      });
      own.client.forgetToken();
      expect((await own.client.status(id)).status).toBe(200);
    } finally {
      await own.stop();
    }
  });

  it('is required by every other call', async () => {
    const calls = [
      ['POST', '/api/URLSetup/RegisterIPN'],
      ['GET', '/api/URLSetup/GetIpnList'],
      ['POST', '/api/Transactions/SubmitOrderRequest'],
      ['GET', '/api/Transactions/GetTransactionStatus?orderTrackingId=1'],
      ['POST', '/api/Transactions/RefundRequest'],
      ['POST', '/api/Transactions/CancelOrder'],
    ] as const;
    for (const [method, path] of calls) {
      expect(await bench.client.call(path, { method })).toMatchObject({ status: 401 });
      const headers = { authorization: 'Bearer made-up' };
      expect(await bench.client.call(path, { method, headers })).toMatchObject({ status: 401 });
    }
  });
});

describe('POST /api/URLSetup/RegisterIPN', () => {
  it.each([
    ['GET', 0],
    ['POST', 1],
  ])('registers an address for %s', async (type, number) => {
    const url = 'https://pay.example.org/listen?rail=cardproc';
    const { status, body } = await bench.client.registerIpn({ url, ipn_notification_type: type });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.any(Number),
      url,
      created_date: utcTime,
      ipn_id: uuid,
      notification_type: number,
      ipn_notification_type_description: type,
      ipn_status: 1,
      ipn_status_decription: 'Active',
      error: null,
      status: '200',
    });
  });

  it.each<[string, Fields]>([
    ['url', { url: 'pay.example.org' }],
    ['url', { url: undefined }],
    ['ipn_notification_type', { ipn_notification_type: 'PUT' }],
    ['ipn_notification_type', { ipn_notification_type: undefined }],
  ])('refuses a wrong %s: %j', async (field, changes) => {
    const fields = { url: `${SHOP}/ipn`, ipn_notification_type: 'POST', ...changes };
    const { status, body } = await bench.client.registerIpn(fields);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ipn_id: null,
      status: '500',
      error: apiError('invalid_api_request_parameters', expect.stringContaining(field)),
    });
  });
});

it('GET /api/URLSetup/GetIpnList lists only what the account has registered', async () => {
  const shop = createCardprocClient(bench.simulator, {
    consumer_key: 'shop-key',
    consumer_secret: 'shop-secret',
  });
  expect((await shop.listIpns()).body).toEqual([]);
  const ids = [
    await shop.notifiedAt(`${SHOP}/a`, 'GET'),
    await shop.notifiedAt(`${SHOP}/a`),
    await shop.notifiedAt(`${SHOP}/b`),
  ];
  const { status, body } = await shop.listIpns();
  expect(status).toBe(200);
  const [a, b] = [`${SHOP}/a`, `${SHOP}/b`];
  expect(body).toMatchObject([
    { ipn_id: ids[0], url: a, notification_type: 0, ipn_notification_type_description: 'GET' },
    { ipn_id: ids[1], url: a, notification_type: 1, ipn_notification_type_description: 'POST' },
    { ipn_id: ids[2], url: b, notification_type: 1, ipn_notification_type_description: 'POST' },
  ]);
  expect(body[0]).toMatchObject({ created_date: utcTime, ipn_status: 1, error: null, status: '200' });
});

it.each(['/v3', '/pesapalv3'])('is also below %s, as at the provider', async (base) => {
  const { status, body } = await bench.client.post(`${base}/api/Auth/RequestToken`, keys);
  expect([status, body['status']]).toEqual([200, '200']);
  expect((await bench.client.call(`${base}/api/URLSetup/GetIpnList`)).status).toBe(401);
});

describe('GET /api/Transactions/GetTransactionStatus', () => {
  it('looks like an error while the order is unpaid', async () => {
    const id = `cp-${randomUUID()}`;
    const trackingId = await bench.client.order({ id, amount: '1500.50' });
    const { status, body } = await bench.client.status(trackingId);
    expect(status).toBe(200);
    expect(body).toEqual({
      payment_method: '',
      amount: 1500.5,
      created_date: localTime,
      confirmation_code: '',
      order_tracking_id: trackingId,
      payment_status_description: 'INVALID',
      description: null,
      message: 'Request processed successfully',
      payment_account: '',
      status_code: 0,
      merchant_reference: id,
      payment_status_code: '',
      currency: 'KES',
      error: { error_type: 'api_error', code: 'payment_details_not_found', message: 'Pending Payment' },
      status: '500',
    });
  });

  it('fills every field once the order is paid, and the error with nulls', async () => {
    const id = `cp-${randomUUID()}`;
    const trackingId = await bench.client.order({ id });
    await bench.client.decide(trackingId, 'pay_card');
    expect((await bench.client.status(trackingId)).body).toEqual({
      payment_method: 'Visa',
      amount: 1500,
      created_date: localTime,
      confirmation_code: expect.stringMatching(/^6\d{21}$/),
      order_tracking_id: trackingId,
      payment_status_description: 'COMPLETED',
      description: null,
      message: 'Request processed successfully',
      payment_account: '411111**1111',
      call_back_url: `${SHOP}/paid?basket=7&OrderTrackingId=${trackingId}&OrderMerchantReference=${id}&OrderNotificationType=IPNCHANGE`,
      status_code: 1,
      merchant_reference: id,
      payment_status_code: '',
      currency: 'KES',
      error: noError,
      status: '200',
    });
  });

  it('masks the phone of a customer who pays by mobile money', async () => {
    const trackingId = await bench.client.order();
    await bench.client.decide(trackingId, 'pay_mobile');
    expect((await bench.client.status(trackingId)).body).toMatchObject({
      payment_method: 'MpesaKE',
      payment_account: '2547****0001',
      confirmation_code: expect.stringMatching(/^[A-Z0-9]{10}$/),
      status_code: 1,
    });
  });

  it('gives the reason when the payment failed', async () => {
    const trackingId = await bench.client.order();
    await bench.client.decide(trackingId, 'fail');
    expect((await bench.client.status(trackingId)).body).toMatchObject({
      status_code: 2,
      payment_status_description: 'FAILED',
      description: expect.stringContaining('Unable to Authorize Transaction'),
      error: noError,
      status: '200',
    });
  });

  it('does not find invented orders nor those of other accounts', async () => {
    const shop = createCardprocClient(bench.simulator, {
      consumer_key: 'shop-key',
      consumer_secret: 'shop-secret',
    });
    const unknown = { status: 200, body: { error: apiError('invalid_order_tracking_id'), status: '500' } };
    expect(await bench.client.status(randomUUID())).toMatchObject(unknown);
    expect(await shop.status(await bench.client.order())).toMatchObject(unknown);
    expect(await bench.client.status(await shop.order())).toMatchObject(unknown);
  });
});

describe('a further account', () => {
  it('may use an id that another account has used', async () => {
    const shop = createCardprocClient(bench.simulator, {
      consumer_key: 'shop-key',
      consumer_secret: 'shop-secret',
    });
    const id = `cp-${randomUUID()}`;
    await bench.client.order({ id });
    expect((await shop.submit({ id })).body['error']).toBeNull();
  });

  it('is paid outside the books, which belong to the first account', async () => {
    const shop = createCardprocClient(bench.simulator, {
      consumer_key: 'shop-key',
      consumer_secret: 'shop-secret',
    });
    const before = await bench.client.books();
    const trackingId = await shop.order();
    await shop.decide(trackingId, 'pay_card');
    expect(await shop.stateOf(trackingId)).toBe(1);
    expect(await bench.client.books()).toEqual(before);
  });

  it.each([
    ['no secret', 'shop-key', 'must be key:secret'],
    ['the key of another one', `${keys.consumer_key}:x`, 'twice'],
  ])('is refused at the start with %s', async (_what, value, fault) => {
    const env = { ...credentials, CARDPROC_EXTRA_ACCOUNTS: value };
    await expect(createSimulator({ env, port: 0, stateFolder: 'unused' })).rejects.toThrow(fault);
  });
});

it('an unknown address answers 404 as the provider does', async () => {
  expect(await bench.client.call('/api/Transactions/Nothing')).toMatchObject({
    status: 404,
    body: { status: '404' },
  });
});

it('shows no keys and no tokens', async () => {
  const token = (await bench.client.bearer()).replace('Bearer ', '');
  const shown = JSON.stringify(await bench.client.requests());
  expect(shown).not.toContain(keys.consumer_secret);
  expect(shown).not.toContain(token);
});
