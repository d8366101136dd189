import { setMerchant } from '../../../../src/merchants/merchants';
import { expectClean } from '../../../support/expect-clean';
import { call, type ApiAnswer } from '../../../support/merchant-client';
import { creditsOf, ended, webhooksOf } from '../../../support/payments/timeline';
import { sharedStack } from '../../../support/shared-stack';
import type { Stack, TestMerchant } from '../../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { cardOrder, paymentOf, post, submitPath } from '../../../support/rails/cardproc/payments';

describe('POST /api/cardproc/submit_order.php', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    stack = await sharedStack({ timeScale: 1 });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'cardproc');
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  const send = (changes: Record<string, unknown> = {}) =>
    post(stack, submitPath, cardOrder(merchant, changes));
  const faultsOf = ({ body }: ApiAnswer) =>
    Object.fromEntries((body.details ?? []).map((fault) => [fault.field, fault.message]));

  async function submitted(answer: ApiAnswer): Promise<Record<string, unknown> | undefined> {
    const { details } = await paymentOf(stack.db, answer);
    const all = await provider.exchanges('initiate');
    return all.find(({ body }) => body.id === details.submitted_as)?.body;
  }

  describe('200', () => {
    it('is in the event feed, although this rail sends no webhooks', async () => {
      const { payment_id: id } = await paymentOf(stack.db, await send());
      const { body } = await call(stack, merchant, 'GET', '/api/v1/events?types=deposit.*');
      const events = body['events'] as { type: string; payment_id: string; data: Record<string, unknown> }[];
      const own = events.filter(({ payment_id: of }) => of === id);
      expect(own.map(({ type, data }) => [type, data['status']])).toEqual([
        ['deposit.created', 'PENDING'],
        ['deposit.pending', 'PENDING'],
      ]);
      expect(await webhooksOf(stack.db, id)).toEqual([]);
    });

    it("answers with the payment page, and with the merchant's reference", async () => {
      const answer = await send({ merchant_ref: 'INV-2041_a.b:c' });
      expect([answer.status, answer.body]).toEqual([
        200,
        {
          success: true,
          order_tracking_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          merchant_reference: 'INV-2041_a.b:c',
          redirect_url: expect.stringContaining('/pay?OrderTrackingId='),
        },
      ]);
    });

    it('uses KES without a currency, and the customer’s own one if it is given', async () => {
      expect(await submitted(await send())).toMatchObject({ currency: 'KES', amount: 1500 });
      expect(await submitted(await send({ currency: 'UGX', amount: 50_000 }))).toMatchObject({
        currency: 'UGX',
        amount: 50_000,
      });
    });

    it('pays in another customer’s own currency, with its own decimals', async () => {
      const { order_tracking_id: id = '' } = (await send({ currency: 'JPY', amount: 1200 })).body;
      await provider.notify(`orders/${String(id)}`, { action: 'pay_card' });
      const payment = await stack
        .db('payments')
        .where({ provider_reference: String(id) })
        .first();
      await ended(stack.db, payment?.payment_id ?? '', ['succeeded']);
      expect(await creditsOf(stack.db, payment?.payment_id ?? '')).toEqual([1_200n]);
    });

    it('cuts the description after 100 characters', async () => {
      expect(await submitted(await send({ description: 'y'.repeat(140) }))).toMatchObject({
        description: 'y'.repeat(100),
      });
    });

    it.each([
      [{ phone_number: '254700000001' }],
      [{ email_address: 'ana@example.org' }],
      [
        {
          phone_number: '254700000001',
          email_address: 'ana@example.org',
          first_name: 'Ana',
          last_name: 'Doe',
        },
      ],
    ])('forwards the billing address %j, and stores none of it', async (billing_address) => {
      const answer = await send({ billing_address });
      expect(await submitted(answer)).toMatchObject({ billing_address });
      expect(JSON.stringify(await paymentOf(stack.db, answer))).not.toMatch(/ana@|Ana|Doe|2547/);
    });

    it("forwards the merchant's cancellation page, and uses our own page after payment", async () => {
      const answer = await send({ cancellation_url: 'https://shop.example.org/cancelled' });
      expect(await submitted(answer)).toMatchObject({
        callback_url: `${stack.apiUrl}/cardproc/callback.php`,
        cancellation_url: 'https://shop.example.org/cancelled',
      });
    });

    it('treats null and the empty text as absent', async () => {
      const billing_address = { email_address: 'ana@example.org', phone_number: '', first_name: null };
      const answer = await send({ billing_address, currency: null, cancellation_url: '' });
      expect(await submitted(answer)).toMatchObject({
        billing_address: { email_address: 'ana@example.org' },
      });
    });
  });

  describe('400', () => {
    it('reports all missing fields at once', async () => {
      const answer = await post(stack, submitPath, { merchant_id: merchant.merchantId });
      expect([answer.status, answer.body.success, answer.body.code]).toEqual([
        400,
        false,
        'VALIDATION_FAILED',
      ]);
      expect(faultsOf(answer)).toEqual({
        merchant_ref: 'merchant_ref is required',
        amount: 'amount is required',
        description: 'description is required',
        callback_url: 'callback_url is required',
        billing_address: 'billing_address is required',
      });
      expect(answer.body.message).toBe(answer.body.error);
    });

    it('reports that the processor rejects a currency, by its name', async () => {
      const answer = await send({ currency: 'KPW' });
      expect([answer.status, answer.body.code]).toEqual([400, 'UNSUPPORTED_CURRENCY']);
      expect(answer.body.message).toBe('currency is not enabled for this account');
      expect(faultsOf(answer)).toEqual({ currency: 'The provider rejected currency' });
    });

    it.each([
      ['merchant_ref', 'x'.repeat(51), 'VALIDATION_FAILED'],
      ['merchant_ref', 'with space', 'VALIDATION_FAILED'],
      ['merchant_ref', 'slash/2', 'VALIDATION_FAILED'],
      ['merchant_ref', 'ñ', 'VALIDATION_FAILED'],
      ['amount', '0.00', 'AMOUNT_OUT_OF_RANGE'],
      ['amount', 'ten', 'INVALID_AMOUNT'],
      ['currency', 'EUR1', 'UNSUPPORTED_CURRENCY'],
      ['currency', 'XYZ', 'UNSUPPORTED_CURRENCY'],
      ['callback_url', '/paid', 'VALIDATION_FAILED'],
      ['cancellation_url', 'ftp://shop.example.org', 'VALIDATION_FAILED'],
      ['billing_address', 'Nairobi', 'VALIDATION_FAILED'],
      ['billing_address', {}, 'VALIDATION_FAILED'],
      ['billing_address', { first_name: 'Ana' }, 'VALIDATION_FAILED'],
      ['billing_address', { email_address: '', phone_number: null }, 'VALIDATION_FAILED'],
    ])('rejects %s %j', async (field, value, code) => {
      const answer = await send({ [field]: value });
      expect([answer.status, answer.body.code, Object.keys(faultsOf(answer))]).toEqual([400, code, [field]]);
    });

    it.each([
      ['phone_number', '0712345678', 'INVALID_PHONE_NUMBER'],
      ['email_address', 'ana at example', 'VALIDATION_FAILED'],
    ])('rejects the %s %s of a billing address', async (field, value, code) => {
      const answer = await send({ billing_address: { [field]: value } });
      expect([answer.status, answer.body.code]).toEqual([400, code]);
      expect(Object.keys(faultsOf(answer))).toEqual([`billing_address.${field}`]);
    });

    it("rejects an amount above the limit of the account with the processor's text", async () => {
      const answer = await send({ amount: '100000000.50' });
      expect([answer.status, answer.body.message]).toEqual([400, 'amount is above the limit of the account']);
    });
  });

  describe('403', () => {
    it.each(['suspended', 'inactive'])('a merchant that is %s', async (status) => {
      const { merchantId } = await stack.createMerchant();
      await setMerchant(stack.db, merchantId, { status }, { environment: 'sandbox' });
      const answer = await post(stack, submitPath, cardOrder({ merchantId }));
      expect([answer.status, answer.body]).toEqual([
        403,
        expect.objectContaining({ success: false, message: 'Invalid or inactive merchant' }),
      ]);
    });

    it('a merchant with an allow-list, from another address', async () => {
      const { merchantId } = await stack.createMerchant();
      await setMerchant(stack.db, merchantId, { ipAllow: ['203.0.113.7'] }, { environment: 'sandbox' });
      const answer = await post(stack, submitPath, cardOrder({ merchantId }));
      expect([answer.status, answer.body]).toEqual([
        403,
        expect.objectContaining({
          success: false,
          code: 'IP_NOT_ALLOWED',
          message: 'IP address not whitelisted',
        }),
      ]);
      expect(await stack.db('payments').where({ merchant_id: merchantId })).toEqual([]);
    });

    it('an unknown merchant', async () => {
      expect((await send({ merchant_id: '00000000-0000-4000-8000-000000000000' })).status).toBe(403);
    });
  });

  describe('500: a failure of the processor', () => {
    it.each([
      ['HTTP 500', 100.12],
      ['an error in its 200', 100.13],
    ])('%s', async (_what, amount) => {
      const answer = await send({ amount });
      expect([answer.status, answer.body]).toEqual([
        500,
        expect.objectContaining({
          success: false,
          code: 'PROCESSOR_FAILURE',
          message: 'The payment processor could not create the order',
        }),
      ]);
      const payment = await paymentOf(stack.db, answer);
      expect(payment.state).toBe('failed');
      expect(await webhooksOf(stack.db, payment.payment_id)).toEqual([]);
    });

    it('a rejection of our own account, too', async () => {
      await provider.next({ call: 'initiate', behave: 'expired_token', times: 2 });
      expect((await send()).body.code).toBe('PROCESSOR_FAILURE');
    });

    it('frees the Idempotency-Key, so that the same request may be made again', async () => {
      await provider.next({ call: 'initiate', behave: '500', times: 3 });
      const body = cardOrder(merchant);
      const again = () => post(stack, submitPath, body, { 'Idempotency-Key': 'after a failure' });
      expect([(await again()).status, (await again()).status]).toEqual([500, 200]);
    });
  });

  it('a lost answer leads to a second order, and only that one can be paid', async () => {
    const answer = await send({ amount: 100.11 });
    expect(answer.status).toBe(200);
    expect(await submitted(answer)).toMatchObject({ id: expect.stringMatching(/-2$/) });
  });
});
