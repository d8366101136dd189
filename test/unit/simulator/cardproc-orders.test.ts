import { randomUUID } from 'node:crypto';
import { createCardprocClient, orderFields, SHOP } from '../../support/simulator/cardproc-client';
import { startCardprocBench, type CardprocBench } from '../../support/simulator/cardproc-bench';
import type { Fields } from '../../support/simulator/http-client';

const uuid: unknown = expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/);
const apiError = (code: string, message: unknown = expect.any(String)) => ({
  error_type: 'api_error',
  code,
  message,
});

let bench: CardprocBench;
beforeAll(async () => {
  bench = await startCardprocBench({ env: { CARDPROC_EXTRA_ACCOUNTS: 'shop-key:shop-secret' } });
});
afterAll(() => bench.stop());

describe('POST /api/Transactions/SubmitOrderRequest', () => {
  it('gives a tracking id and the page where the customer pays', async () => {
    const id = `cp-${randomUUID()}`;
    const { status, body } = await bench.client.submit({ id });
    expect(status).toBe(200);
    expect(body).toEqual({
      order_tracking_id: uuid,
      merchant_reference: id,
      redirect_url: `${bench.url}/pay?OrderTrackingId=${String(body['order_tracking_id'])}`,
      error: null,
      status: '200',
    });
  });

  it.each<[string, Fields]>([
    [
      'every optional field',
      {
        redirect_mode: 'PARENT_WINDOW',
        branch: 'Nairobi',
        language: 'EN',
        terms_and_conditions_id: 'tc-1',
        billing_address: {
          phone_number: '254700000001',
          email_address: 'ana@example.org',
          country_code: 'KE',
          first_name: 'Ana',
          middle_name: 'B',
          last_name: 'Doe',
          line_1: 'Moi Avenue 1',
          line_2: 'Floor 2',
          city: 'Nairobi',
          state: 'NBO',
          postal_code: '00100',
          zip_code: '00100',
        },
      },
    ],
    [
      'optional fields left empty',
      {
        cancellation_url: '',
        language: '',
        terms_and_conditions_id: null,
        billing_address: { email_address: 'ana@example.org', phone_number: '', state: '' },
      },
    ],
    ['the amount as a text', { amount: '1500.00' }],
    ['another currency', { currency: 'UGX', amount: '20000' }],
    ['a phone number alone', { billing_address: { phone_number: '254700000001' } }],
    ['an id of fifty characters', { id: `a-B_3.c:${randomUUID()}${'x'.repeat(6)}` }],
    ['a description of a hundred', { description: 'd'.repeat(100) }],
  ])('takes %s', async (_what, changes) => {
    expect((await bench.client.submit(changes)).body).toMatchObject({ error: null, status: '200' });
  });

  it.each<[string, Fields]>([
    ['id', { id: 'x'.repeat(51) }],
    ['id', { id: 'order 1' }],
    ['id', { id: 'order/1' }],
    ['id', { id: 'ordér' }],
    ['id', { id: '' }],
    ['id', { id: 17 }],
    ['currency', { currency: 'shillings' }],
    ['currency', { currency: undefined }],
    ['amount', { amount: 0 }],
    ['amount', { amount: -5 }],
    ['amount', { amount: 10.005 }],
    ['amount', { amount: '1,500.00' }],
    ['amount', { amount: undefined }],
    ['description', { description: 'd'.repeat(101) }],
    ['description', { description: '' }],
    ['callback_url', { callback_url: 'javascript:alert(1)' }],
    ['callback_url', { callback_url: undefined }],
    ['cancellation_url', { cancellation_url: 'shop.example.org' }],
    ['notification_id', { notification_id: undefined }],
    ['redirect_mode', { redirect_mode: 'NEW_WINDOW' }],
    ['billing_address', { billing_address: undefined }],
    ['billing_address', { billing_address: {} }],
    ['billing_address', { billing_address: { phone_number: '', email_address: '', first_name: 'Ana' } }],
    ['billing_address.phone_number', { billing_address: { phone_number: 'none' } }],
    ['billing_address.email_address', { billing_address: { email_address: 'ana' } }],
    [
      'billing_address.country_code',
      { billing_address: { phone_number: '254700000001', country_code: 'KEN' } },
    ],
    ['billing_address.state', { billing_address: { phone_number: '254700000001', state: 'Nairobi' } }],
  ])('names a wrong %s inside a 200: %j', async (field, changes) => {
    const { status, body } = await bench.client.submit(changes);
    expect(status).toBe(200);
    expect(body).toEqual({
      order_tracking_id: null,
      merchant_reference: null,
      redirect_url: null,
      error: apiError(
        'invalid_api_request_parameters',
        expect.stringMatching(`^${field.replace('.', '\\.')} `),
      ),
      status: '500',
    });
  });

  it('refuses more than the limit of the account, with a separate code', async () => {
    expect((await bench.client.submit({ amount: 100_000_000.01 })).body).toMatchObject({
      error: apiError('maximum_amount_limit_exceeded'),
      order_tracking_id: null,
    });
  });

  it('refuses an unknown notification_id, and one of another account', async () => {
    const shop = createCardprocClient(bench.simulator, {
      consumer_key: 'shop-key',
      consumer_secret: 'shop-secret',
    });
    for (const id of [randomUUID(), await shop.notifiedAt(`${SHOP}/theirs`)]) {
      expect((await bench.client.send(orderFields(id))).body).toMatchObject({
        error: apiError('InvalidIpnId'),
        order_tracking_id: null,
      });
    }
  });

  it('answers 400 to a body that is not JSON', async () => {
    const headers = { 'content-type': 'application/json', authorization: await bench.client.bearer() };
    const path = '/api/Transactions/SubmitOrderRequest';
    expect(await bench.client.call(path, { method: 'POST', headers, body: '{' })).toMatchObject({
      status: 400,
      body: { error: apiError('invalid_api_request_parameters') },
    });
  });
});

describe('POST /api/Transactions/CancelOrder', () => {
  it.each(['never tried', 'failed'])('cancels an order that was %s, once and for good', async (what) => {
    const { client } = bench;
    const trackingId = await client.order();
    if (what === 'failed') await client.decide(trackingId, 'fail');
    const before = await client.stateOf(trackingId);
    expect((await client.cancelOrder(trackingId)).body).toEqual({
      status: '200',
      message: expect.any(String),
    });
    expect((await client.cancelOrder(trackingId)).body).toEqual({
      status: '500',
      message: expect.any(String),
    });
    expect((await client.decide(trackingId, 'pay_card')).status).toBe(409);
    expect(await client.stateOf(trackingId)).toBe(before);
  });

  it('does not cancel paid orders and unknown ones', async () => {
    const { client } = bench;
    const trackingId = await client.order();
    await client.decide(trackingId, 'pay_card');
    for (const id of [trackingId, randomUUID()]) {
      expect((await client.cancelOrder(id)).body).toEqual({ status: '500', message: expect.any(String) });
    }
  });
});

describe('POST /control/cardproc/orders/<order_tracking_id> pay_late', () => {
  it('pays a cancelled order only when the network had begun before the cancellation', async () => {
    const { client } = bench;
    const trackingId = await client.order();
    expect((await client.decide(trackingId, 'pay_late')).status).toBe(409);
    await client.cancelOrder(trackingId);
    expect((await client.decide(trackingId, 'pay_late')).status).toBe(200);
    expect(await client.stateOf(trackingId)).toBe(1);
    expect((await client.decide(trackingId, 'pay_late')).status).toBe(409);
  });
});
