import crypto from 'node:crypto';
import { startTestBench, type TestBench } from '../../support/simulator/bench';
import { credentials } from '../../support/simulator/credentials';
import type { Fields } from '../../support/simulator/http-client';
import { bearer, collectionFields } from '../../support/simulator/xb-client';

const SUCCESS = '256700000789';
/** Receipt numbers have five digits, for each day. */
const receiptNumbers = 100_000;
const PUSH = '/api/v1/payment/intasend-xb-push/';
const KENYAN_PUSH = '/api/v1/payment/mpesa-stk-push/';
const OLDER = '/api/v1/payment/collection/';
const STATUS = '/api/v1/payment/status/';
const nairobiTime: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+03:00$/);

let bench: TestBench;
beforeAll(async () => {
  bench = await startTestBench();
});
afterAll(() => bench.stop());

describe('starting a collection', () => {
  it('answers with a pending invoice', async () => {
    const { status, body } = await bench.xb.initiate(SUCCESS, {
      name: 'Asha B Okello',
      host: 'https://pay.example.org',
    });
    expect(status).toBe(200);
    const invoiceId = body.invoice['invoice_id'];
    expect(invoiceId).toMatch(/^[A-Z0-9]{7}$/);
    expect(body).toEqual({
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      invoice: {
        id: invoiceId,
        invoice_id: invoiceId,
        state: 'PENDING',
        provider: 'INTASEND-XB-PUSH',
        charges: 0,
        net_amount: '20000.00',
        currency: 'UGX',
        value: 20_000,
        account: SUCCESS,
        api_ref: 'xb-6f1d0a6e',
        mpesa_reference: null,
        host: 'https://pay.example.org',
        card_info: { bin_country: null, card_type: null },
        retry_count: 0,
        failed_reason: null,
        failed_code: null,
        failed_code_link: null,
        created_at: nairobiTime,
        updated_at: nairobiTime,
      },
      customer: {
        customer_id: expect.any(String),
        phone_number: SUCCESS,
        email: null,
        first_name: 'Asha',
        last_name: 'B Okello',
        created_at: nairobiTime,
        updated_at: nairobiTime,
      },
      payment_link: null,
      customer_comment: null,
      refundable: false,
      created_at: nairobiTime,
      updated_at: nairobiTime,
    });
  });

  it('has no call of older versions', async () => {
    expect(await bench.xb.post(OLDER, collectionFields(SUCCESS), bearer)).toMatchObject({ status: 404 });
  });

  it.each([
    ['256700000710', ['id']],
    ['256700000711', ['invoice_id']],
  ])('names the invoice of %s only by %j, in every answer', async (phone, names) => {
    const { body } = await bench.xb.initiate(phone);
    const id = String(body.invoice[names[0] ?? '']);
    const reported = [body.invoice, (await bench.xb.status(id)).body.invoice];
    for (const invoice of reported) {
      expect(Object.keys(invoice).filter((name) => name === 'id' || name === 'invoice_id')).toEqual(names);
    }
  });

  it('collects KES through its own push call, and no other currency through that call', async () => {
    const fields = collectionFields('254708374149');
    const kenyan = { ...fields, currency: 'KES', method: 'M-PESA', amount: '10.50' };
    const pushed = await bench.xb.post<{ invoice: Fields }>(KENYAN_PUSH, kenyan, bearer);
    const { value, provider } = pushed.body.invoice;
    expect([pushed.status, value, provider]).toEqual([200, 10.5, 'M-PESA']);
    expect(await bench.xb.post(KENYAN_PUSH, { ...kenyan, method: 'CARD' }, bearer)).toMatchObject({
      status: 400,
      body: { method: [expect.any(String)] },
    });
    for (const [path, body] of [
      [PUSH, kenyan],
      [KENYAN_PUSH, collectionFields(SUCCESS)],
    ] as const) {
      expect(await bench.xb.post(path, body, bearer)).toMatchObject({
        status: 400,
        body: { currency: [expect.any(String)] },
      });
    }
  });

  it.each<[string, Fields]>([
    ['currency', { currency: 'USD' }],
    ['currency', { currency: undefined }],
    ['amount', { amount: undefined }],
    ['amount', { amount: 'twenty' }],
    ['amount', { amount: -5 }],
    ['amount', { amount: 500.5 }],
    ['amount', { amount: 499 }],
    ['amount', { amount: 5_000_001 }],
    ['phone_number', { phone_number: '+256700000789' }],
    ['phone_number', { phone_number: '0700000789' }],
    ['phone_number', { phone_number: '255700000789' }],
    ['phone_number', { phone_number: undefined }],
    ['mobile_tarrif', { mobile_tarrif: 'NOBODY-PAYS' }],
    ['api_ref', { api_ref: 7 }],
    ['api_ref', { api_ref: 'x'.repeat(256) }],
  ])('refuses a wrong %s: %j', async (field, changes) => {
    const { status, body } = await bench.xb.initiate(SUCCESS, changes);
    expect(status).toBe(400);
    expect(body).toEqual({ [field]: [expect.any(String)] });
  });

  it('lists all errors of a body at once', async () => {
    const { body } = await bench.xb.initiate(SUCCESS, { amount: 0, phone_number: 'x' });
    expect(Object.keys(body)).toEqual(['amount', 'phone_number']);
  });

  it('gives every invoice a unique id', async () => {
    const ids = new Set<string>();
    for (let n = 0; n < 30; n += 1) ids.add(await bench.xb.collect(SUCCESS));
    expect(ids.size).toBe(30);
  });
});

describe('credentials', () => {
  const wrong = { authorization: 'Bearer ISSecretKey_test_2' };
  const missing = { status: 401, body: { detail: 'Authentication credentials were not provided.' } };
  const invalid = { status: 401, body: { detail: 'Invalid token.' } };
  const header = { intasend_public_api_key: credentials.XB_PUBLISHABLE_KEY };

  it.each<[string, string, Fields, Record<string, string>, object]>([
    ['the call without credentials', PUSH, { public_key: undefined }, {}, missing],
    ['the call with another secret key', PUSH, {}, wrong, invalid],
    [
      'another publishable key beside the right secret',
      PUSH,
      { public_key: 'ISPubKey_test_2' },
      bearer,
      invalid,
    ],
    ['the call with the publishable key alone', PUSH, {}, {}, missing],
    ['the status call without credentials', STATUS, { public_key: undefined }, {}, missing],
    ['the status call with another publishable key', STATUS, { public_key: 'ISPubKey_test_2' }, {}, invalid],
  ])('refuses %s', async (_what, path, changes, headers, answer) => {
    const fields = { ...collectionFields(SUCCESS), ...changes };
    expect(await bench.xb.post(path, fields, headers)).toMatchObject(answer);
  });

  it.each<[string, Fields, Record<string, string>]>([
    ['in the body', { public_key: credentials.XB_PUBLISHABLE_KEY }, {}],
    ['in the header', {}, header],
  ])('allow the status call with the publishable key %s', async (_where, fields, headers) => {
    const invoice_id = await bench.xb.collect(SUCCESS);
    expect((await bench.xb.post(STATUS, { invoice_id, ...fields }, headers)).status).toBe(200);
  });
});

describe('the status call', () => {
  it('answers with the invoice and the known data of the customer', async () => {
    const { body } = await bench.xb.initiate(SUCCESS);
    const status = await bench.xb.status(body.invoice['invoice_id'] as string);
    expect(status.body).toMatchObject({
      invoice: { ...body.invoice, state: expect.any(String), updated_at: nairobiTime },
      meta: { id: body.id, customer: { phone_number: SUCCESS } },
    });
  });

  it('does not find an unknown collection, and requires an id', async () => {
    expect(await bench.xb.status('ZZZZZZZ')).toMatchObject({
      status: 404,
      body: { detail: 'Invoice with specified id does not exist' },
    });
    expect(await bench.xb.post(STATUS, {}, bearer)).toMatchObject({
      status: 400,
      body: { invoice_id: ['This field is required.'] },
    });
  });
});

it('writes a webhook byte for byte as the provider does', async () => {
  const own = await startTestBench();
  try {
    const invoiceId = await own.xb.collect(SUCCESS);
    await own.xb.advance(10_000);
    const webhook = own.receiver.received.at(-1);
    const { mpesa_reference, created_at, updated_at } = webhook?.body as Record<string, string>;
    expect([webhook?.path, webhook?.contentType]).toEqual(['/in/xb', 'application/json']);
    expect(webhook?.text).toBe(
      `{"invoice_id":"${invoiceId}","state":"COMPLETE","provider":"INTASEND-XB-PUSH","charges":"600.00",` +
        '"net_amount":"19400.00","currency":"UGX","value":"20000.00","account":"256700000789",' +
        `"api_ref":"xb-6f1d0a6e","mpesa_reference":"${String(mpesa_reference)}","host":null,"retry_count":0,` +
        '"failed_reason":null,"failed_code":null,"failed_code_link":null,' +
        `"created_at":"${String(created_at)}","updated_at":"${String(updated_at)}","challenge":"test-challenge"}`,
    );
    expect(JSON.stringify(await own.xb.requests())).not.toContain('test-challenge');
    expect(JSON.stringify(await own.xb.requests())).not.toContain(credentials.XB_SECRET_KEY);
  } finally {
    await own.stop();
  }
});

it('gives no two payments the same receipt, not even after a restart', async () => {
  const own = await startTestBench({ env: { XB_WEBHOOK_URL: '' } });
  const receipts = async () => {
    // Each number is drawn twice in a row, and after the restart the draws begin again.
    let draws = 0;
    const { randomInt } = crypto;
    const drawn = jest.spyOn(crypto, 'randomInt').mockImplementation((below: number) => {
      if (below !== receiptNumbers) return randomInt(below);
      draws += 1;
      return Math.floor(draws / 2);
    });
    const ids = await Promise.all(Array.from({ length: 20 }, () => own.xb.collect(SUCCESS)));
    await own.xb.advance(10_000);
    const reported = await Promise.all(ids.map((id) => own.xb.status(id)));
    drawn.mockRestore();
    return reported.map(({ body }) => body.invoice['mpesa_reference']);
  };
  try {
    const before = await receipts();
    await own.restart();
    expect(new Set([...before, ...(await receipts())]).size).toBe(40);
  } finally {
    await own.stop();
  }
});

it('sends nothing when no address was set', async () => {
  const own = await startTestBench({ env: { XB_WEBHOOK_URL: '' } });
  try {
    const invoiceId = await own.xb.collect(SUCCESS);
    await own.xb.advance(10_000);
    expect(await own.xb.stateOf(invoiceId)).toBe('COMPLETE');
    expect(own.receiver.received).toEqual([]);
  } finally {
    await own.stop();
  }
});

it('answers an unknown path, a path without its last slash and a body that is not JSON in its own format', async () => {
  const { xb } = bench;
  const notFound = { status: 404, body: { detail: 'Not found.' } };
  expect(await xb.post('/api/v1/payment/unknown/', {})).toMatchObject(notFound);
  expect(await xb.post(STATUS.slice(0, -1), {}, bearer)).toMatchObject(notFound);
  const headers = { ...bearer, 'content-type': 'application/json' };
  expect(await xb.call(STATUS, { method: 'POST', headers, body: '{' })).toMatchObject({
    status: 400,
    body: { detail: 'JSON parse error' },
  });
});
