import { setMerchant } from '../../../../src/merchants/merchants';
import { expectClean } from '../../../support/expect-clean';
import type { ApiAnswer } from '../../../support/merchant-client';
import { openCasesOf, webhooksOf } from '../../../support/payments/timeline';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { initiatePath, paymentOf, post, wrapperOrder } from '../../../support/rails/cardproc/payments';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('POST /api/v2/initiate.php', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 1 });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'cardproc');
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  const send = (changes: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
    post(stack, initiatePath, wrapperOrder(merchant, changes), headers);
  const faultsOf = ({ body }: ApiAnswer) =>
    Object.fromEntries((body.details ?? []).map((fault) => [fault.field, fault.message]));

  /** The requests to the processor for this payment, by attempt. */
  async function submissions(answer: ApiAnswer): Promise<Record<string, unknown>[]> {
    const { callback_token: name } = await paymentOf(stack.db, answer);
    const all = await provider.exchanges('initiate');
    return all.map(({ body }) => body).filter(({ id }) => String(id).startsWith(`${name ?? ''}-`));
  }

  describe('200', () => {
    it.each([initiatePath, '/api/v2/cardproc/initiate.php'])(
      '%s answers with the payment page',
      async (path) => {
        const answer = await post(stack, path, wrapperOrder(merchant, { order_id: 'ORDER-1' }));
        expect([answer.status, answer.body]).toEqual([
          200,
          {
            success: true,
            redirect_url: expect.stringContaining(`${stack.providerUrls.cardproc}/pay?OrderTrackingId=`),
            order_tracking_id: expect.stringMatching(uuid),
            order_id: 'ORDER-1',
          },
        ]);
        const page = await fetch(String(answer.body.redirect_url));
        expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Order 881')]);
      },
    );

    it("submits the merchant's data, with our own id and addresses", async () => {
      const answer = await send({ amount: '1500.50', callback_url: 'https://shop.example.org/paid?cart=7' });
      expect(await submissions(answer)).toEqual([
        {
          id: expect.stringMatching(/^cp-[A-Z2-7]{26}-1$/),
          currency: 'KES',
          amount: 1500.5,
          description: 'Order 881',
          callback_url: `${stack.apiUrl}/cardproc/callback.php`,
          notification_id: expect.stringMatching(uuid),
          redirect_mode: 'PARENT_WINDOW',
          billing_address: {
            phone_number: '254700000001',
            email_address: 'ana@example.org',
            first_name: 'Ana',
            last_name: 'Doe',
          },
        },
      ]);
    });

    it('stores no data of the customer once the processor has the order', async () => {
      const row = await paymentOf(stack.db, await send());
      expect(row.details).toEqual({
        api: 'wrapper',
        description: 'Order 881',
        redirect_url: expect.any(String),
        submitted_as: expect.stringMatching(/^cp-/),
      });
      expect(JSON.stringify(row)).not.toMatch(/ana@|Ana|Doe|2547/);
    });

    it('registers the notification address once for any number of orders', async () => {
      await Promise.all(Array.from({ length: 5 }, () => send()));
      const registered = await provider.exchanges('register_ipn');
      expect(registered.map(({ body }) => body)).toEqual([
        { url: `${stack.apiUrl}/listen_cardproc.php`, ipn_notification_type: 'POST' },
      ]);
      expect((await provider.exchanges('list_ipns')).length).toBe(1);
      expect((await provider.exchanges('token')).length).toBe(1);
    });

    it('accepts the same order_id twice: the processor never gets it', async () => {
      const [first, second] = [await send({ order_id: 'TWICE' }), await send({ order_id: 'TWICE' })];
      expect([first.body.order_id, second.body.order_id]).toEqual(['TWICE', 'TWICE']);
      expect(second.body.order_tracking_id).not.toBe(first.body.order_tracking_id);
    });

    it('sends the processor 100 characters of a longer description, and no half of any', async () => {
      const [submitted] = await submissions(await send({ description: `${'x'.repeat(99)}💸 and more` }));
      expect(submitted?.description).toBe('x'.repeat(99));
    });

    it.each([
      ['UGX', 50_000, 50_000],
      ['USD', '12.30', 12.3],
      ['TZS', 1500.5, 1500.5],
      ['EUR', '10.50', 10.5],
      ['JPY', 1500, 1500],
      ['ZAR', 99.99, 99.99],
    ])('accepts %s', async (currency, amount, asked) => {
      expect(await submissions(await send({ currency, amount }))).toMatchObject([
        { currency, amount: asked },
      ]);
    });

    it('with valid keys in the headers is answered as without', async () => {
      const keys = { 'X-API-Key': merchant.apiKey, 'X-API-Secret': merchant.apiSecret };
      expect((await send({}, keys)).status).toBe(200);
    });

    it('a repeat with the same Idempotency-Key gets the first answer again, without a second order', async () => {
      const body = wrapperOrder(merchant);
      const key = { 'Idempotency-Key': 'once' };
      const [first, second] = [
        await post(stack, initiatePath, body, key),
        await post(stack, initiatePath, body, key),
      ];
      expect(second.body).toEqual(first.body);
      expect(second.headers.get('idempotent-replayed')).toBe('true');
      expect(await submissions(first)).toHaveLength(1);
    });
  });

  describe('200 after all', () => {
    it('an order whose answer is lost is submitted again with the next number, and the merchant gets that one', async () => {
      const answer = await send({ amount: 100.11 });
      expect(answer.status).toBe(200);
      const ids = (await submissions(answer)).map(({ id }) => String(id).slice(-2));
      expect(ids).toEqual(['-1', '-2']);
      const { payment_id, details, provider_reference } = await paymentOf(stack.db, answer);
      expect([details.submitted_as?.slice(-2), provider_reference]).toEqual([
        '-2',
        answer.body.order_tracking_id,
      ]);
      const attempts = await stack.db('attempts').where({ payment_id }).orderBy('n').select('n', 'state');
      expect(attempts).toEqual([
        { n: 1, state: 'unknown' },
        { n: 2, state: 'accepted' },
      ]);
    });

    it('a token that expires early is renewed once, without an effect on merchants', async () => {
      const before = (await provider.exchanges('token')).length;
      await provider.notify('tokens', { action: 'expire' });
      expect((await send()).status).toBe(200);
      expect((await provider.exchanges('token')).length).toBe(before + 1);
    });
  });

  describe('400', () => {
    it('reports all missing fields at once', async () => {
      const answer = await post(stack, initiatePath, {});
      expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_FAILED']);
      const required = [
        'merchant_id',
        'order_id',
        'amount',
        'currency',
        'description',
        'phone_number',
        'email_address',
        'first_name',
        'last_name',
      ];
      expect(faultsOf(answer)).toEqual(
        Object.fromEntries(required.map((field) => [field, `${field} is required`])),
      );
    });

    it.each([
      ['phone_number', '0712345678', 'INVALID_PHONE_NUMBER'],
      ['phone_number', '+254712345678', 'INVALID_PHONE_NUMBER'],
      ['phone_number', 254712345678, 'INVALID_PHONE_NUMBER'],
      ['phone_number', '25471234567', 'INVALID_PHONE_NUMBER'],
      ['email_address', 'ana', 'VALIDATION_FAILED'],
      ['email_address', 'ana@example.org, eve@example.org', 'VALIDATION_FAILED'],
      ['currency', 'XYZ', 'UNSUPPORTED_CURRENCY'],
      ['currency', 'kes', 'UNSUPPORTED_CURRENCY'],
      ['currency', 'DEM', 'UNSUPPORTED_CURRENCY'],
      ['currency', 'XAU', 'UNSUPPORTED_CURRENCY'],
      ['amount', 0, 'AMOUNT_OUT_OF_RANGE'],
      ['amount', -1, 'INVALID_AMOUNT'],
      ['amount', '12.345', 'INVALID_AMOUNT'],
      ['amount', '1e3', 'INVALID_AMOUNT'],
      ['description', '  ', 'VALIDATION_FAILED'],
      ['first_name', 7, 'VALIDATION_FAILED'],
      ['last_name', 'x'.repeat(101), 'VALIDATION_FAILED'],
      ['order_id', 'x'.repeat(501), 'VALIDATION_FAILED'],
      ['callback_url', 'shop.example.org/paid', 'VALIDATION_FAILED'],
      ['callback_url', 'javascript:alert(1)', 'VALIDATION_FAILED'],
      ['callback_url', 'https://shop.example.org@evil.example/', 'VALIDATION_FAILED'],
      ['callback_url', 'https:\\\\evil.example', 'VALIDATION_FAILED'],
    ])('rejects %s %j', async (field, value, code) => {
      const answer = await send({ [field]: value });
      expect([answer.status, answer.body.code, Object.keys(faultsOf(answer))]).toEqual([400, code, [field]]);
      expect(answer.body.success).toBe(false);
    });

    it("an amount above the limit of the account, with the processor's text", async () => {
      const answer = await send({ amount: '100000000.50', order_id: 'TOO-MUCH' });
      expect([answer.status, answer.body.code, answer.body.error]).toEqual([
        400,
        'AMOUNT_OUT_OF_RANGE',
        'amount is above the limit of the account',
      ]);
      const payment = await paymentOf(stack.db, answer);
      expect([payment.state, payment.details.billing_address]).toEqual(['failed', undefined]);
      expect(await webhooksOf(stack.db, payment.payment_id)).toMatchObject([
        { status: 'FAILED', order_id: 'TOO-MUCH', failure_code: 'AMOUNT_OUT_OF_RANGE' },
      ]);
    });
  });

  describe('401 and 403', () => {
    it('401: wrong keys, even though none are required', async () => {
      const keys = { 'X-API-Key': merchant.apiKey, 'X-API-Secret': 'sk_test_wrong' };
      const answer = await send({}, keys);
      expect([answer.status, answer.body.code]).toEqual([401, 'INVALID_CREDENTIALS']);
    });

    it('401: the keys of another merchant', async () => {
      const { apiKey, apiSecret } = await stack.createMerchant();
      expect((await send({}, { 'X-API-Key': apiKey, 'X-API-Secret': apiSecret })).status).toBe(401);
    });

    it.each(['00000000-0000-4000-8000-000000000000', 'somebody'])(
      '403: there is no merchant %s',
      async (id) => {
        const answer = await send({ merchant_id: id });
        expect([answer.status, answer.body.code, answer.body.error]).toEqual([
          403,
          'INACTIVE_MERCHANT',
          'Invalid or inactive merchant',
        ]);
      },
    );
  });

  it('403: a merchant with an allow-list, from another address', async () => {
    const listed = await stack.createMerchant();
    const allow = (ipAllow: string[]) =>
      setMerchant(stack.db, listed.merchantId, { ipAllow }, { environment: 'sandbox' });
    await allow(['203.0.113.7']);
    const answer = await send({ merchant_id: listed.merchantId });
    expect([answer.status, answer.body.code, answer.body.error]).toEqual([
      403,
      'IP_NOT_ALLOWED',
      'IP address not whitelisted',
    ]);
    expect(await stack.db('payments').where({ merchant_id: listed.merchantId })).toEqual([]);
    await allow(['127.0.0.0/8']);
    expect((await send({ merchant_id: listed.merchantId })).status).toBe(200);
  });

  it('405 and 415: anything but a POST of JSON', async () => {
    expect((await fetch(`${stack.apiUrl}${initiatePath}`)).status).toBe(405);
    const form = await fetch(`${stack.apiUrl}${initiatePath}`, {
      method: 'POST',
      body: new URLSearchParams(),
    });
    expect(form.status).toBe(415);
  });

  describe('502 and 503: the processor failed, and the merchant may try again', () => {
    it.each([
      ['answers 500 to every attempt', 100.12, 'PROVIDER_UNAVAILABLE', ['-1', '-2', '-3']],
      ['has an error in its 200', 100.13, 'PROVIDER_TEMPORARILY_UNAVAILABLE', ['-1']],
    ])('503: it %s', async (_what, amount, code, attempts) => {
      const answer = await send({ amount });
      expect([answer.status, answer.body.code]).toEqual([503, code]);
      expect(answer.headers.get('retry-after')).toBeTruthy();
      expect((await submissions(answer)).map(({ id }) => String(id).slice(-2))).toEqual(attempts);
      const payment = await paymentOf(stack.db, answer);
      expect([payment.state, payment.details.billing_address]).toEqual(['failed', undefined]);
    });

    it('502: it rejects our own account, which is reported to an operator', async () => {
      await provider.next({ call: 'initiate', behave: 'expired_token', times: 2 });
      const answer = await send();
      expect([answer.status, answer.body.code]).toEqual([502, 'PROVIDER_ACCOUNT_REFUSED']);
      const { payment_id } = await paymentOf(stack.db, answer);
      expect(await openCasesOf(stack.db, payment_id)).toEqual(['account_refused']);
    });
  });
});
