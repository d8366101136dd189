import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import type { AttemptRow } from '../../../../src/store/tables';
import { expectClean } from '../../../support/expect-clean';
import { call, paymentIdOf } from '../../../support/merchant-client';
import { startStack, type OwnStack, type TestMerchant } from '../../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { accepted, ended, openCasesOf, push, webhooksOf } from '../../../support/rails/stk/payments';

/** The answer to the merchant when the provider rejects the request, is not reached, or leaves the result unknown. */
describe('POST /api/v1/stk_push, when the provider', () => {
  let stack: OwnStack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 20 });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'stk');
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  const attemptsOf = async (paymentId: string): Promise<AttemptRow['state'][]> =>
    (await stack.db('attempts').where({ payment_id: paymentId }).orderBy('n')).map(({ state }) => state);
  const promptsOf = async (phone: string) =>
    (await provider.exchanges('initiate')).filter(({ body }) => body.PhoneNumber === phone);
  const spoil = (phone: string, behave: string, times = 1) =>
    provider.next({ call: 'initiate', behave, times, where: { phone_number: phone } });

  describe('has another prompt open for this customer', () => {
    it('409 CUSTOMER_BUSY: the payment has failed, and its webhook reports it', async () => {
      const answer = await push(stack, merchant, { phone_number: '254700000709' });
      expect([answer.status, answer.body.code]).toEqual([409, 'CUSTOMER_BUSY']);
      const payment = await ended(stack.db, paymentIdOf(answer));
      expect(payment).toMatchObject({ state: 'failed', result_code: '500.001.1001', confirmed_minor: null });
      expect(await webhooksOf(stack.db, payment.payment_id)).toMatchObject([
        { status: 'Failed', actual_amount: 0 },
      ]);
      expect(JSON.stringify(answer.body)).not.toContain('500.001.1001');
    });
  });

  describe('has too many requests', () => {
    it('200: the request is repeated a moment later, and the customer sees one prompt', async () => {
      await spoil('254730000001', '429', 2);
      const payment = await accepted(stack, merchant, { phone_number: '254730000001' });
      expect(await attemptsOf(payment.payment_id)).toEqual(['not_sent', 'not_sent', 'accepted']);
      expect((await promptsOf('254730000001')).map(({ answer }) => answer?.status)).toEqual([429, 429, 200]);
    });

    it.each([
      ['at once', '254730000012', 'spike_arrest'],
      ['in all', '254730000013', 'quota'],
    ])(
      '200: too many requests %s, reported with a 500, leave no unknown result',
      async (_how, phone, how) => {
        await spoil(phone, how);
        const payment = await accepted(stack, merchant, { phone_number: phone });
        expect(await attemptsOf(payment.payment_id)).toEqual(['not_sent', 'accepted']);
        expect(await promptsOf(phone)).toHaveLength(2);
      },
    );

    it('503: the request ends after three attempts', async () => {
      await spoil('254730000002', '429', 3);
      const answer = await push(stack, merchant, { phone_number: '254730000002' });
      expect([answer.status, answer.body.code]).toEqual([503, 'PROVIDER_UNAVAILABLE']);
      expect(await promptsOf('254730000002')).toHaveLength(3);
      expect(await getPaymentOrThrow(stack.db, paymentIdOf(answer))).toMatchObject({ state: 'failed' });
    });
  });

  describe('no longer accepts our access token', () => {
    it.each([
      ['404.001.03', '254730000003', 'expired_token'],
      ['400.003.01', '254730000016', 'other_token_error'],
    ])('200: a new one is fetched after %s and the call repeated once', async (_code, phone, behave) => {
      await spoil(phone, behave);
      const payment = await accepted(stack, merchant, { phone_number: phone });
      expect(await attemptsOf(payment.payment_id)).toEqual(['accepted']);
      expect(await promptsOf(phone)).toHaveLength(2);
    });

    it('502: it is not repeated endlessly, and an operator gets a case', async () => {
      await spoil('254730000004', 'expired_token', 2);
      const answer = await push(stack, merchant, { phone_number: '254730000004' });
      expect([answer.status, answer.body.code]).toEqual([502, 'PROVIDER_ACCOUNT_REFUSED']);
      expect(await promptsOf('254730000004')).toHaveLength(2);
      expect(await openCasesOf(stack.db, paymentIdOf(answer))).toEqual(['account_refused']);
    });
  });

  describe('leaves it unknown whether the customer got a prompt', () => {
    it.each([
      ['a 500 without its envelope', '254730000005', '500'],
      ['a page of HTML', '254730000006', 'html'],
      ['a connection that closes', '254730000007', 'drop'],
      ['an error after it has acted', '254730000008', 'act_then_500'],
      ['its own words for an error after it has acted', '254730000014', 'act_then_error'],
    ])('200: %s is accepted as pending and never sent again', async (_how, phone_number, behave) => {
      await spoil(phone_number, behave);
      const answer = await push(stack, merchant, { phone_number });
      expect(answer.status).toBe(200);
      expect(answer.body.message).toMatch(/^(Payment accepted; the prompt is being sent|STK push sent)/);
      expect(await attemptsOf(paymentIdOf(answer))).toEqual(['unknown']);
      expect(await promptsOf(phone_number)).toHaveLength(1);
    });

    it('200: an internal error after the prompt was sent is settled once by its callback, even with repeated requests', async () => {
      const phone_number = '254730000015';
      const body = { phone_number, account_reference: 'TWICE' };
      const key = { 'Idempotency-Key': 'internal-error' };
      await spoil(phone_number, 'act_then_error');
      const first = await push(stack, merchant, body, key);
      const again = await push(stack, merchant, body, key);
      expect([first.status, again.status]).toEqual([200, 200]);
      expect(paymentIdOf(again)).toBe(paymentIdOf(first));

      const payment = await ended(stack.db, paymentIdOf(first));
      expect(payment).toMatchObject({ state: 'succeeded', confirmed_minor: '125000' });
      expect((await promptsOf(phone_number)).map(({ answer }) => answer?.status)).toEqual([500]);
      expect(await webhooksOf(stack.db, payment.payment_id)).toMatchObject([{ status: 'Success' }]);
    });

    it('200: unknown values are empty texts, and the status has the rest later', async () => {
      const answer = await push(stack, merchant, { phone_number: '254700000708', order_id: 'A-9' });
      expect(answer.body).toEqual({
        success: true,
        message: 'Payment accepted; the prompt is being sent. A webhook reports the result',
        data: {
          payment_id: paymentIdOf(answer),
          merchant_request_id: '',
          checkout_request_id: '',
          customer_message: '',
          amount: 1250,
          initial_amount: 1250,
          asked_amount: 1250,
          phone_number: '254700000708',
          order_id: 'A-9',
        },
      });
    });

    it('200: a provider that never answers delays the merchant by at most 15 s', async () => {
      await spoil('254730000009', 'hang');
      const begun = Date.now();
      const answer = await push(stack, merchant, { phone_number: '254730000009' });
      expect([answer.status, answer.body.data?.checkout_request_id]).toEqual([200, '']);
      expect(Date.now() - begun).toBeLessThan(22_000);
    });
  });

  describe('rejects our own account', () => {
    let misconfigured: OwnStack | undefined;
    afterEach(() => misconfigured?.stop());

    it.each([
      ['for its passkey', { STK_PASSKEY: 'another-passkey' }],
      ['for its consumer secret', { STK_CONSUMER_SECRET: 'another-secret' }],
    ])('502 %s: the merchant gets no details, and an operator gets a case', async (_why, wrong) => {
      const env = { STK_BASE_URL: stack.providerUrls.stk, ...wrong };
      misconfigured = await startStack({ without: ['simulator'], env });
      const answer = await push(misconfigured, await misconfigured.createMerchant());
      expect([answer.status, answer.body.code]).toEqual([502, 'PROVIDER_ACCOUNT_REFUSED']);
      expect(answer.body.error).toBe('The provider rejected our account; operators have been notified');
      expect(await openCasesOf(misconfigured.db, paymentIdOf(answer))).toEqual(['account_refused']);
    });
  });

  describe('is down', () => {
    beforeAll(() => stack.kill('simulator'));
    afterAll(() => stack.start('simulator'));

    it('503: nothing was started, the payment has failed, and the merchant may retry', async () => {
      const answer = await push(stack, merchant, { phone_number: '254730000010' });
      expect([answer.status, answer.body.code]).toEqual([503, 'PROVIDER_UNAVAILABLE']);
      expect(answer.headers.get('retry-after')).toBe('5');
      const paymentId = paymentIdOf(answer);
      expect(await getPaymentOrThrow(stack.db, paymentId)).toMatchObject({ state: 'failed', is_final: 1 });
      expect(await attemptsOf(paymentId)).toEqual(['not_sent', 'not_sent', 'not_sent']);
      expect(await webhooksOf(stack.db, paymentId)).toMatchObject([{ status: 'Failed', actual_amount: 0 }]);
      const status = await call(stack, merchant, 'GET', `/api/v1/stk_push/status?payment_id=${paymentId}`);
      expect(status.body.data).toMatchObject({ status: 'Failed', is_final: true });
    });

    it('503: the Idempotency-Key is free again, so that the same request may be repeated', async () => {
      const key = { 'Idempotency-Key': 'while-down' };
      const changes = { phone_number: '254730000011', account_reference: 'DOWN' };
      const [first, second] = [
        await push(stack, merchant, changes, key),
        await push(stack, merchant, changes, key),
      ];
      expect([first.status, second.status]).toEqual([503, 503]);
      expect(paymentIdOf(second)).not.toBe(paymentIdOf(first));
    });
  });
});
