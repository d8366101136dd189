import { startTestBench, type TestBench } from '../../support/simulator/bench';
import {
  CANCEL_URL,
  captureIn,
  orderFields,
  RETURN_URL,
  type WireError,
} from '../../support/simulator/walletpay-client';

const time: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
const longId: unknown = expect.stringMatching(/^[A-Z0-9]{17}$/);
const shortId: unknown = expect.stringMatching(/^[A-Z0-9]{13}$/);

let bench: TestBench;
let base: string;
beforeAll(async () => {
  bench = await startTestBench();
  base = bench.walletpay.origin;
});
afterAll(() => bench.stop());

const issueOf = (body: unknown) => (body as WireError).details[0]?.issue;

describe('POST /v1/oauth2/token', () => {
  it('gives a token for nine hours', async () => {
    const { status, body } = await bench.walletpay.getToken();
    expect(status).toBe(200);
    expect(body).toEqual({
      scope: expect.stringContaining('https://uri.paypal.com/payments/payouts'),
      access_token: expect.stringMatching(/^\S{20,}$/),
      token_type: 'Bearer',
      app_id: expect.stringMatching(/^APP-[A-Z0-9]{17}$/),
      expires_in: 32_400,
      nonce: expect.any(String),
    });
  });

  it('refuses the wrong secret, and another grant', async () => {
    const { walletpay } = bench;
    const wrong = await walletpay.getToken(`Basic ${Buffer.from('test-client-id:no').toString('base64')}`);
    expect([wrong.status, wrong.body]).toEqual([
      401,
      { error: 'invalid_client', error_description: 'Client Authentication failed' },
    ]);
    const grant = await walletpay.getToken(undefined, 'password');
    expect([grant.status, grant.body['error']]).toEqual([400, 'unsupported_grant_type']);
  });

  it('gives no token while the account has no credentials', async () => {
    const bare = await startTestBench({ env: { WALLETPAY_CLIENT_ID: '', WALLETPAY_CLIENT_SECRET: '' } });
    try {
      const authorization = `Basic ${Buffer.from(':').toString('base64')}`;
      expect((await bare.walletpay.getToken(authorization)).status).toBe(401);
    } finally {
      await bare.stop();
    }
  });
});

describe('POST /v2/checkout/orders', () => {
  it('with a payment source: 200, PAYER_ACTION_REQUIRED and the link payer-action', async () => {
    const { status, body } = await bench.walletpay.create(orderFields());
    expect(status).toBe(200);
    expect(body).toEqual({
      id: longId,
      status: 'PAYER_ACTION_REQUIRED',
      payment_source: { paypal: {} },
      links: [
        { href: `${base}/v2/checkout/orders/${body.id}`, rel: 'self', method: 'GET' },
        { href: `${base}/checkoutnow?token=${body.id}`, rel: 'payer-action', method: 'GET' },
      ],
    });
  });

  it('without one: 201, CREATED and the link approve', async () => {
    const { payment_source: _, ...fields } = orderFields();
    const { status, body } = await bench.walletpay.create({
      ...fields,
      application_context: { return_url: RETURN_URL, cancel_url: CANCEL_URL },
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: longId,
      status: 'CREATED',
      links: [
        { href: `${base}/v2/checkout/orders/${body.id}`, rel: 'self', method: 'GET' },
        { href: `${base}/checkoutnow?token=${body.id}`, rel: 'approve', method: 'GET' },
        { href: `${base}/v2/checkout/orders/${body.id}`, rel: 'update', method: 'PATCH' },
        { href: `${base}/v2/checkout/orders/${body.id}/capture`, rel: 'capture', method: 'POST' },
      ],
    });
    const { body: decided } = await bench.walletpay.decide(body.id, 'approve');
    expect(decided['return_url']).toMatch(`${RETURN_URL}?token=${body.id}`);
  });

  it('returns the whole order when that is preferred', async () => {
    const { body } = await bench.walletpay.create(orderFields(), { prefer: 'return=representation' });
    expect(body).toMatchObject({ intent: 'CAPTURE', purchase_units: [{ amount: { value: '12.50' } }] });
  });

  it.each([
    ['an intent', { intent: undefined }, 400, 'MISSING_REQUIRED_PARAMETER'],
    ['the intent CAPTURE', { intent: 'AUTHORIZE' }, 400, 'INVALID_PARAMETER_VALUE'],
    ['a purchase unit', { purchase_units: [] }, 400, 'MISSING_REQUIRED_PARAMETER'],
    ['no more than one', { purchase_units: [{}, {}] }, 400, 'INVALID_ARRAY_MAX_ITEMS'],
    ['an amount', { purchase_units: [{}] }, 400, 'MISSING_REQUIRED_PARAMETER'],
  ])('requires %s', async (_what, changes, status, issue) => {
    const { status: code, body } = await bench.walletpay.create({ ...orderFields(), ...changes });
    expect([code, body['name'], issueOf(body)]).toEqual([status, 'INVALID_REQUEST', issue]);
  });

  it.each([
    ['KES', '100.00', 422, 'CURRENCY_NOT_SUPPORTED'],
    ['USD', '12.505', 422, 'DECIMAL_PRECISION'],
    ['JPY', '100.50', 422, 'DECIMAL_PRECISION'],
    ['USD', '0.00', 422, 'CANNOT_BE_ZERO_OR_NEGATIVE'],
    ['USD', '-1.00', 400, 'INVALID_PARAMETER_SYNTAX'],
    ['usd', '1.00', 400, 'INVALID_STRING_LENGTH'],
  ])('refuses %s %s', async (currency, value, status, issue) => {
    const amount = { currency_code: currency, value };
    const { status: code, body } = await bench.walletpay.create(orderFields('1.00', { amount }));
    expect([code, issueOf(body)]).toEqual([status, issue]);
  });

  it.each([
    ['custom_id', 128],
    ['invoice_id', 128],
    ['description', 128],
    ['reference_id', 257],
  ])('refuses a %s of %i characters', async (field, length) => {
    const { status, body } = await bench.walletpay.create(
      orderFields('1.00', { [field]: 'x'.repeat(length) }),
    );
    expect(status).toBe(400);
    expect((body as unknown as WireError).details).toEqual([
      {
        field: `/purchase_units/@reference_id=='default'/${field}`,
        value: 'x'.repeat(length),
        location: 'body',
        issue: 'INVALID_STRING_LENGTH',
        description: 'The value of a field is either too short or too long.',
      },
    ]);
  });

  it('refuses a PayPal-Request-Id of more than 108 characters', async () => {
    const key = (length: number) => ({ 'paypal-request-id': 'k'.repeat(length) });
    expect((await bench.walletpay.create(orderFields(), key(108))).status).toBe(200);
    expect((await bench.walletpay.create(orderFields(), key(109))).status).toBe(400);
  });
});

describe('an order', () => {
  it('contains its buyer, its capture and the merchant’s net amount', async () => {
    const { walletpay } = bench;
    const unit = { custom_id: 'tx-91aa', invoice_id: 'tx-91aa', description: 'Order 77' };
    const orderId = await walletpay.approved('12.50', unit);
    await walletpay.advance(1_000);
    const captureId = captureIn((await walletpay.capture(orderId)).body)?.id ?? '';
    const { body } = await walletpay.query(orderId);
    const capture = {
      id: captureId,
      status: 'COMPLETED',
      amount: { currency_code: 'USD', value: '12.50' },
      final_capture: true,
      seller_protection: {
        status: 'ELIGIBLE',
        dispute_categories: ['ITEM_NOT_RECEIVED', 'UNAUTHORIZED_TRANSACTION'],
      },
      seller_receivable_breakdown: {
        gross_amount: { currency_code: 'USD', value: '12.50' },
        paypal_fee: { currency_code: 'USD', value: '0.92' },
        net_amount: { currency_code: 'USD', value: '11.58' },
      },
      custom_id: 'tx-91aa',
      invoice_id: 'tx-91aa',
      create_time: time,
      update_time: time,
      links: [
        { href: `${base}/v2/payments/captures/${captureId}`, rel: 'self', method: 'GET' },
        { href: `${base}/v2/payments/captures/${captureId}/refund`, rel: 'refund', method: 'POST' },
        { href: `${base}/v2/checkout/orders/${orderId}`, rel: 'up', method: 'GET' },
      ],
    };
    const person = {
      name: { given_name: 'Wanjiru', surname: 'Kamau' },
      email_address: 'buyer@example.com',
      address: { country_code: 'KE' },
    };
    expect(body).toEqual({
      id: orderId,
      intent: 'CAPTURE',
      status: 'COMPLETED',
      payment_source: { paypal: { ...person, account_id: shortId, account_status: 'VERIFIED' } },
      purchase_units: [
        {
          reference_id: 'default',
          amount: { currency_code: 'USD', value: '12.50' },
          payee: { email_address: expect.any(String), merchant_id: expect.any(String) },
          ...unit,
          payments: { captures: [capture] },
        },
      ],
      payer: { ...person, payer_id: shortId },
      create_time: time,
      update_time: time,
      links: [{ href: `${base}/v2/checkout/orders/${orderId}`, rel: 'self', method: 'GET' }],
    });
    expect((await walletpay.get(`/v2/payments/captures/${captureId}`)).body).toEqual({
      ...capture,
      supplementary_data: { related_ids: { order_id: orderId } },
    });
  });
});
