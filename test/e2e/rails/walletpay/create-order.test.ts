import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { setMerchant } from '../../../../src/merchants/merchants';
import { expectClean } from '../../../support/expect-clean';
import { call, type ApiAnswer } from '../../../support/merchant-client';
import { sharedStack } from '../../../support/shared-stack';
import type { Stack, TestMerchant } from '../../../support/stack';
import {
  simulatorControl,
  type Exchange,
  type SimulatorControl,
} from '../../../support/rails/simulator-control';
import { orderOf, orderRequest, post, ratesStored } from '../../../support/rails/walletpay/payments';

const path = '/api/v1/walletpay/create_order';
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe(`POST ${path}`, () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    stack = await sharedStack({ timeScale: 20 });
    merchant = await stack.createMerchant('Duka la Mama');
    provider = simulatorControl(stack.simulatorUrl, 'walletpay');
    await ratesStored(stack);
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  const send = (changes: Record<string, unknown> = {}) =>
    post(stack, merchant, 'create_order', orderRequest(changes));
  const sendText = (body: string, headers: Record<string, string> = {}) =>
    call(stack, merchant, 'POST', path, body, headers);
  const reported = ({ status, body }: ApiAnswer) => [status, body.code];
  const faultsOf = ({ body }: ApiAnswer) =>
    Object.fromEntries((body.details ?? []).map((fault) => [fault.field, fault.message]));
  const sentFor = async (id: string): Promise<Exchange[]> =>
    (await provider.exchanges('initiate')).filter(({ body }) => JSON.stringify(body).includes(id));

  describe('200', () => {
    it('answers with exactly the fields of the specification', async () => {
      const answer = await send({ amount: 12.5, order_id: 'INV-2041' });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        success: true,
        data: {
          walletpay_order_id: expect.stringMatching(/^[A-Z0-9]{17}$/),
          transaction_id: expect.stringMatching(uuid),
          order_id: 'INV-2041',
          approval_url: expect.stringContaining(`${stack.providerUrls.walletpay}/checkoutnow?token=`),
          status: 'Pending',
          amount: 12.5,
          currency: 'USD',
        },
      });
    });

    it('sends the provider only allowed data, in its own format', async () => {
      const site = await stack.createMerchant('Duka la Baba');
      const urls = {
        returnUrl: 'http://127.0.0.1:9999/paid?shop=7',
        cancelUrl: 'http://127.0.0.1:9999/not-paid',
      };
      await setMerchant(stack.db, site.merchantId, urls, { environment: 'sandbox' });
      const { id, orderId } = orderOf(
        await post(stack, site, 'create_order', orderRequest({ amount: '12.50' })),
      );
      const [sent, ...more] = await sentFor(id);
      expect(more).toEqual([]);
      expect(sent?.headers['paypal-request-id']).toBe(`wp-order-${id}`);
      expect(sent?.body).toEqual({
        intent: 'CAPTURE',
        purchase_units: [
          {
            custom_id: id,
            invoice_id: id,
            description: `Duka la Baba: ${orderId}`,
            amount: { currency_code: 'USD', value: '12.50' },
          },
        ],
        payment_source: {
          paypal: {
            experience_context: {
              return_url: urls.returnUrl,
              cancel_url: urls.cancelUrl,
              user_action: 'PAY_NOW',
              shipping_preference: 'NO_SHIPPING',
              payment_method_preference: 'IMMEDIATE_PAYMENT_REQUIRED',
            },
          },
        },
      });
    });

    it('sends the buyer of a merchant without pages to one of ours, which claims nothing', async () => {
      const { id } = orderOf(await send());
      const { details } = await getPaymentOrThrow(stack.db, id);
      expect(details).toMatchObject({
        return_url: `${stack.apiUrl}/walletpay/done`,
        cancel_url: `${stack.apiUrl}/walletpay/done`,
      });
      const page = await fetch(`${details['return_url'] ?? ''}?token=X&PayerID=Y`);
      expect(page.status).toBe(200);
      const text = await page.text();
      expect(text).toContain('You can close this page');
      expect(text).not.toMatch(/success|paid|complete/i);
    });

    it.each([
      [1, '1.00', 1],
      ['1', '1.00', 1],
      ['1.00', '1.00', 1],
      [10.5, '10.50', 10.5],
      ['10.05', '10.05', 10.05],
      ['9999999.99', '9999999.99', 9999999.99],
    ])('accepts the amount %j as %s', async (amount, sentAmount, shown) => {
      const answer = await send({ amount });
      expect(answer.body.data).toMatchObject({ amount: shown, currency: 'USD' });
      const [sent] = await sentFor(orderOf(answer).id);
      expect(sent?.body).toMatchObject({ purchase_units: [{ amount: { value: sentAmount } }] });
    });

    it('converts KES at a stored rate, and answers in KES', async () => {
      const answer = await send({ amount: '1300.00', currency: 'KES' });
      expect(answer.body.data).toMatchObject({ amount: 1300, currency: 'KES' });
      const { id } = orderOf(answer);
      const [sent] = await sentFor(id);
      // 1300 / 129.50 = 10.0386…, and the buyer pays for all of it.
      expect(sent?.body).toMatchObject({
        purchase_units: [{ amount: { currency_code: 'USD', value: '10.04' } }],
      });
      expect(await stack.db('fx_quotes').where({ payment_id: id })).toEqual([
        expect.objectContaining({
          purpose: 'instruct',
          base: 'KES',
          quote: 'USD',
          from_minor: '130000',
          to_minor: '1004',
          source: 'sandbox',
        }),
      ]);
    });

    it('never charges the buyer less than the credit: 130.14 KES are 1.01 USD', async () => {
      const { id } = orderOf(await send({ amount: '130.14', currency: 'KES' }));
      const [sent] = await sentFor(id);
      expect(sent?.body).toMatchObject({ purchase_units: [{ amount: { value: '1.01' } }] });
      const whole = orderOf(await send({ amount: '1295.00', currency: 'KES' }));
      expect((await sentFor(whole.id))[0]?.body).toMatchObject({
        purchase_units: [{ amount: { value: '10.00' } }],
      });
    });

    it('stores the order_id and the metadata as sent', async () => {
      const given = {
        order_id: `${'o'.repeat(495)} ñ💸`,
        metadata: { cart: [1, { big: 9007199254740993 }] },
      };
      const { id } = orderOf(
        await sendText(
          JSON.stringify({ ...orderRequest(), ...given, metadata: 'M' }).replace(
            '"M"',
            '{"cart":[1,{"big":9007199254740993}]}',
          ),
          { 'Content-Type': 'application/json' },
        ),
      );
      expect(await getPaymentOrThrow(stack.db, id)).toMatchObject({
        order_id: given.order_id,
        metadata: '{"cart":[1,{"big":9007199254740993}]}',
      });
    });

    it("credits in the currency of the merchant’s wallet, or in the order's preferred one", async () => {
      const kenyan = await stack.createMerchant();
      await setMerchant(stack.db, kenyan.merchantId, { walletCurrency: 'KES' }, { environment: 'sandbox' });
      const currencyOf = async (by: TestMerchant, metadata?: Record<string, unknown>) => {
        const { id } = orderOf(
          await post(stack, by, 'create_order', orderRequest(metadata ? { metadata } : {})),
        );
        return (await getPaymentOrThrow(stack.db, id)).credited_currency;
      };
      expect(await currencyOf(merchant)).toBeNull();
      expect(await currencyOf(kenyan)).toBe('KES');
      expect(await currencyOf(kenyan, { preferred_currency: 'UGX' })).toBe('UGX');
      expect(await currencyOf(kenyan, { preferred_currency: 'USD' })).toBeNull();
      expect(await currencyOf(merchant, { preferred_currency: 'TZS' })).toBe('TZS');
    });

    it('also accepts the credentials in the body', async () => {
      const { apiKey: api_key, apiSecret: api_secret } = merchant;
      const answer = await call(stack, undefined, 'POST', path, orderRequest({ api_key, api_secret }));
      expect(answer.status).toBe(200);
    });

    it('survives a lost answer of the provider: the same order is found with its key', async () => {
      await provider.next({ call: 'initiate', behave: 'act_then_drop' });
      const { id, token } = orderOf(await send());
      const sent = await sentFor(id);
      expect(new Set(sent.map(({ headers }) => headers['paypal-request-id']))).toEqual(
        new Set([`wp-order-${id}`]),
      );
      expect(token).toMatch(/^[A-Z0-9]{17}$/);
    });

    it('survives an access token that has expired', async () => {
      await send();
      await provider.next({ call: 'initiate', behave: 'expired_token' });
      expect((await send()).status).toBe(200);
    });
  });

  describe('400', () => {
    it('reports each missing field, all at once', async () => {
      const answer = await post(stack, merchant, 'create_order', {});
      expect(reported(answer)).toEqual([400, 'VALIDATION_FAILED']);
      expect(faultsOf(answer)).toEqual({
        amount: 'amount is required',
        currency: 'currency is required',
        order_id: 'order_id is required',
      });
    });

    it.each([
      [{ amount: undefined }, 'amount', 'VALIDATION_FAILED'],
      [{ amount: '' }, 'amount', 'VALIDATION_FAILED'],
      [{ amount: '0.99' }, 'amount', 'AMOUNT_OUT_OF_RANGE'],
      [{ amount: 0.99 }, 'amount', 'AMOUNT_OUT_OF_RANGE'],
      [{ amount: 0 }, 'amount', 'AMOUNT_OUT_OF_RANGE'],
      // 129.49 / 129.50 = 0.9999…, which would be rounded to 1.00 USD.
      [{ amount: '129.49', currency: 'KES' }, 'amount', 'AMOUNT_OUT_OF_RANGE'],
      [{ amount: 1, currency: 'KES' }, 'amount', 'AMOUNT_OUT_OF_RANGE'],
      [{ amount: -5 }, 'amount', 'INVALID_AMOUNT'],
      [{ amount: '10.005' }, 'amount', 'INVALID_AMOUNT'],
      [{ amount: '1e3' }, 'amount', 'INVALID_AMOUNT'],
      [{ amount: '1,000' }, 'amount', 'INVALID_AMOUNT'],
      [{ amount: true }, 'amount', 'INVALID_AMOUNT'],
      [{ amount: [10] }, 'amount', 'INVALID_AMOUNT'],
      [{ currency: 'JPY' }, 'currency', 'UNSUPPORTED_CURRENCY'],
      [{ currency: 'JPY', amount: '10.50' }, 'currency', 'UNSUPPORTED_CURRENCY'],
      [{ currency: 'KWD', amount: '10.505' }, 'currency', 'UNSUPPORTED_CURRENCY'],
      [{ currency: 'UGX' }, 'currency', 'UNSUPPORTED_CURRENCY'],
      [{ currency: 'usd' }, 'currency', 'UNSUPPORTED_CURRENCY'],
      [{ currency: 840 }, 'currency', 'VALIDATION_FAILED'],
      [{ order_id: undefined }, 'order_id', 'VALIDATION_FAILED'],
      [{ order_id: '  ' }, 'order_id', 'VALIDATION_FAILED'],
      [{ order_id: 7 }, 'order_id', 'VALIDATION_FAILED'],
      [{ metadata: 'text' }, 'metadata', 'VALIDATION_FAILED'],
      [{ metadata: [1] }, 'metadata', 'VALIDATION_FAILED'],
      [{ metadata: { preferred_currency: 'ZMW' } }, 'metadata', 'UNSUPPORTED_CURRENCY'],
      [{ metadata: { preferred_currency: 7 } }, 'metadata', 'UNSUPPORTED_CURRENCY'],
    ])('rejects %j: the fault is in %s', async (changes, field, code) => {
      const answer = await send(changes);
      expect([reported(answer), Object.keys(faultsOf(answer))]).toEqual([[400, code], [field]]);
    });

    it('reports in our own words, here and in the log, that a text is not valid metadata', async () => {
      const answer = await send({ metadata: 'Jane Canary' });
      expect(faultsOf(answer)).toEqual({ metadata: 'metadata must be an object' });
      expect(JSON.stringify(answer.body) + (await stack.logs())).not.toContain('Jane');
    });

    it.each([
      ['an order_id of 501 characters', { order_id: 'o'.repeat(501) }, 'order_id'],
      ['metadata of more than 4 kB', { metadata: { text: 'x'.repeat(4096) } }, 'metadata'],
    ])('rejects %s', async (_what, changes, field) => {
      const answer = await send(changes);
      expect([reported(answer), Object.keys(faultsOf(answer))]).toEqual([
        [400, 'VALIDATION_FAILED'],
        [field],
      ]);
    });

    it.each(['', '[]', 'null', '{"amount":"1","amount":"2"}', '{"__proto__":{}}', '{'])(
      'rejects the body %j, which is not a JSON object',
      async (body) => {
        const answer = await sendText(body, { 'Content-Type': 'application/json' });
        expect(reported(answer)).toEqual([400, 'INVALID_JSON']);
      },
    );

    it('accepts exactly the value of the minimum', async () => {
      expect((await send({ amount: '129.50', currency: 'KES' })).status).toBe(200);
    });

    it('does not use up the order_id of a rejected request', async () => {
      const body = orderRequest({ amount: '0.50' });
      expect((await post(stack, merchant, 'create_order', body)).status).toBe(400);
      expect((await post(stack, merchant, 'create_order', { ...body, amount: 5 })).status).toBe(200);
    });

    it('starts nothing and sends the provider nothing', async () => {
      const before = (await provider.exchanges('initiate')).length;
      const rows = await stack.db('payments').count({ n: '*' });
      await send({ amount: '0.99' });
      await send({ currency: 'JPY' });
      expect(await provider.exchanges('initiate')).toHaveLength(before);
      expect(await stack.db('payments').count({ n: '*' })).toEqual(rows);
    });
  });

  describe('502', () => {
    it('reports that the provider rejects our account, and opens a case', async () => {
      await provider.next({ call: 'token', behave: '401' });
      await provider.next({ call: 'initiate', behave: '401', times: 2 });
      const answer = await send();
      expect(reported(answer)).toEqual([502, 'PROVIDER_ACCOUNT_REFUSED']);
      const cases = await stack.db('cases').where({ payment_id: String(answer.body['payment_id']) });
      expect(cases.map(({ reason }) => reason)).toEqual(['account_refused']);
    });
  });
});
