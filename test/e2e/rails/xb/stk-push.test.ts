import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { expectClean } from '../../../support/expect-clean';
import { call, stkPush, type ApiAnswer } from '../../../support/merchant-client';
import { openCasesOf, webhooksOf } from '../../../support/payments/timeline';
import { sharedStack } from '../../../support/shared-stack';
import type { Stack, TestMerchant } from '../../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { path, paymentOf, push, xbPush } from '../../../support/rails/xb/payments';

describe('POST /api/v1/xb/stk_push', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    stack = await sharedStack({ timeScale: 1 });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'xb');
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  const send = (changes: Record<string, unknown>) => push(stack, merchant, changes);
  const sendText = (body: string) => call(stack, merchant, 'POST', path, body);
  const faultsOf = ({ body }: ApiAnswer) =>
    Object.fromEntries((body.details ?? []).map((fault) => [fault.field, fault.message]));
  const askedBy = async (phone: string) =>
    (await provider.exchanges('initiate')).filter(({ body }) => body.phone_number === phone);

  /** The provider's queries for this answer, once. */
  async function askedFor(answer: ApiAnswer): Promise<Record<string, unknown>> {
    const { callback_token: name } = await paymentOf(stack.db, answer);
    const asked = (await provider.exchanges('initiate')).filter(({ body }) => body.api_ref === name);
    expect(asked).toHaveLength(1);
    return asked[0]?.body ?? {};
  }

  describe('200', () => {
    it('answers with exactly the fields of the specification', async () => {
      const answer = await send({ phone_number: '256701000001', api_ref: 'ORDER-1' });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        success: true,
        data: { invoice_id: expect.stringMatching(/^[A-Z2-7]{26}$/), state: 'PENDING', api_ref: 'ORDER-1' },
      });
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(answer.headers.get('x-request-id')).toBeTruthy();
    });

    it.each([
      ['UGX', '256701000002'],
      ['TZS', '255701000002'],
    ])('requests whole %s from the provider, with our own reference', async (currency, phone_number) => {
      const answer = await send({ currency, phone_number, amount: 20_500, api_ref: `MINE-${currency}` });
      const [asked] = await askedBy(phone_number);
      expect(asked?.url).toContain('/api/v1/payment/intasend-xb-push/');
      expect(await askedFor(answer)).toEqual({
        public_key: stack.env.XB_PUBLISHABLE_KEY,
        currency,
        amount: 20_500,
        phone_number,
        api_ref: expect.stringMatching(/^xb-[A-Z2-7]{26}$/),
      });
    });

    it.each([[{}], [{ api_ref: '' }], [{ api_ref: null }]])(
      'creates an api_ref for %j, and returns it',
      async (changes) => {
        const body = { currency: 'UGX', phone_number: '256701000003', amount: 500, ...changes };
        const answer = await call(stack, merchant, 'POST', path, body);
        expect(answer.body.data?.api_ref).toMatch(/^xb-[A-Z2-7]{26}$/);
        expect(await askedFor(answer)).toMatchObject({ api_ref: answer.body.data?.api_ref });
      },
    );

    it('has one invoice_id, also in a status query while the request waits for the provider', async () => {
      const phone_number = '256701000015';
      await provider.next({ call: 'initiate', behave: '429', times: 2, where: { phone_number } });
      const request = send({ phone_number, api_ref: 'QUERIED-EARLY' });
      const seen = await waitFor(
        async () => {
          const { body } = await call(stack, merchant, 'GET', `${path}/status?api_ref=QUERIED-EARLY`);
          return (body.data?.invoice as { invoice_id: string } | undefined)?.invoice_id;
        },
        { what: 'the payment to be found', timeoutMs: 5_000 },
      );
      const answer = await request;
      expect((await paymentOf(stack.db, answer)).provider_reference).not.toBeNull();
      expect(answer.body.data?.invoice_id).toBe(seen);
    });

    it("never sends the provider the merchant's reference, in any script", async () => {
      const api_ref = 'Oda ya Ñandú 支払い 💸';
      const answer = await send({ phone_number: '256701000004', api_ref });
      expect(answer.body.data?.api_ref).toBe(api_ref);
      expect(JSON.stringify(await askedBy('256701000004'))).not.toContain('Oda');
    });

    it('accepts the same api_ref twice, since a merchant may use it for a second attempt', async () => {
      const changes = { phone_number: '256701000005', api_ref: 'TWICE' };
      const [first, second] = [await send(changes), await send(changes)];
      expect([first.status, second.status]).toEqual([200, 200]);
      expect(second.body.data?.invoice_id).not.toBe(first.body.data?.invoice_id);
      const names = (await askedBy('256701000005')).map(({ body }) => body.api_ref);
      expect(new Set(names).size).toBe(2);
    });

    it.each(['256701000', '2567010000061'])('accepts %s: 9 and 13 digits are the limits', async (phone) => {
      expect(await askedFor(await send({ phone_number: phone }))).toMatchObject({ phone_number: phone });
    });

    it.each([500, 5_000_000, '500', '5000000.00', '20000.0'])(
      'accepts the amount %j, whole and within the limits',
      async (amount) => {
        const answer = await send({ phone_number: '256701000007', amount });
        expect(await askedFor(answer)).toMatchObject({ amount: Number(amount) });
      },
    );

    it('accepts the bare number 20000.00 as a whole one', async () => {
      const body = JSON.stringify(xbPush({ phone_number: '256701000008' })).replace('20000', '20000.00');
      expect((await sendText(body)).status).toBe(200);
    });

    it.each([
      ['UGX', '256701000009', undefined, 'UG'],
      ['UGX', '256701000009', 'UG', 'UG'],
      ['TZS', '255701000009', '', 'TZ'],
      ['TZS', '255701000009', 'TZ', 'TZ'],
    ])('%s from %s with country %j is a payment in %s', async (currency, phone_number, country, stored) => {
      const answer = await send({ currency, phone_number, country });
      expect((await paymentOf(stack.db, answer)).details.country).toBe(stored);
    });

    it('ignores unknown fields', async () => {
      const answer = await send({ phone_number: '256701000010', colour: 'blue', invoice_id: 'MINE123' });
      expect([answer.status, answer.body.data?.invoice_id === 'MINE123']).toEqual([200, false]);
    });
  });

  describe('400', () => {
    it('reports all missing fields at once', async () => {
      const answer = await sendText('{}');
      expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_FAILED']);
      expect(faultsOf(answer)).toEqual({
        currency: 'currency is required',
        phone_number: 'phone_number is required',
        amount: 'amount is required',
      });
    });

    it.each(['KES', 'USD', 'ugx', 'UGX ', 'XOF', 7, true, ['UGX']])(
      'rejects the currency %j',
      async (currency) => {
        const answer = await send({ currency });
        expect(answer.status).toBe(400);
        expect(Object.keys(faultsOf(answer))).toEqual(['currency']);
        if (typeof currency === 'string') expect(answer.body.code).toBe('UNSUPPORTED_CURRENCY');
        // An amount in an unsupported currency is not validated either.
        expect(Object.keys(faultsOf(await send({ currency, amount: 1 })))).toEqual(['currency']);
      },
    );

    it.each([
      ['UGX', 'TZ'],
      ['TZS', 'UG'],
      ['UGX', 'KE'],
      ['UGX', 'ug'],
      ['UGX', 'UGA'],
      ['UGX', 256],
    ])('rejects %s with the country %j, which contradicts it', async (currency, country) => {
      const phone_number = currency === 'UGX' ? '256701000789' : '255701000789';
      const answer = await send({ currency, phone_number, country });
      expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_FAILED']);
      expect(Object.keys(faultsOf(answer))).toEqual(['country']);
    });

    it.each([
      '+256700000789',
      '256 700 000 789',
      '256-700-000789',
      '0700 000789',
      '25670000',
      '25670000078901',
      '٢٥٦٧٠٠٠٠٠٧٨٩',
      '256700000789\n',
      '256700000789; DROP TABLE payments',
      256700000789,
      ['256700000789'],
      { number: '256700000789' },
      true,
    ])('rejects the phone %j: digits only, nothing is converted', async (phone_number) => {
      const answer = await send({ phone_number });
      expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_PHONE_NUMBER']);
      expect(faultsOf(answer).phone_number).toContain('9 to 13 digits');
    });

    it.each([
      [499, 'AMOUNT_OUT_OF_RANGE'],
      ['499', 'AMOUNT_OUT_OF_RANGE'],
      [5_000_001, 'AMOUNT_OUT_OF_RANGE'],
      ['5000001.00', 'AMOUNT_OUT_OF_RANGE'],
      [0, 'AMOUNT_OUT_OF_RANGE'],
      [20_000.5, 'INVALID_AMOUNT'],
      ['20000.50', 'INVALID_AMOUNT'],
      ['20000.000', 'INVALID_AMOUNT'],
      [-20_000, 'INVALID_AMOUNT'],
      ['2e4', 'INVALID_AMOUNT'],
      ['0x4e20', 'INVALID_AMOUNT'],
      ['20,000', 'INVALID_AMOUNT'],
      [' 20000', 'INVALID_AMOUNT'],
      ['020000', 'INVALID_AMOUNT'],
      ['NaN', 'INVALID_AMOUNT'],
      [true, 'INVALID_AMOUNT'],
      [[20_000], 'INVALID_AMOUNT'],
      [{}, 'INVALID_AMOUNT'],
    ])('rejects the amount %j as %s', async (amount, code) => {
      for (const currency of ['UGX', 'TZS']) {
        const answer = await send({ currency, amount });
        expect([answer.status, answer.body.code]).toEqual([400, code]);
        expect(Object.keys(faultsOf(answer))).toEqual(['amount']);
      }
    });

    it.each([
      ['order_id', 'A-1'],
      ['order_id', ''],
      ['transaction_desc', 'Invoice 1'],
      ['metadata', {}],
      ['metadata', null],
    ])('rejects %s %j, so that no merchant relies on it', async (field, value) => {
      const answer = await send({ [field]: value });
      expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_FAILED']);
      expect(faultsOf(answer)).toEqual({ [field]: `${field} is not accepted on this endpoint` });
    });

    it.each([7, ['A'], 'x'.repeat(201), 'A\u0000B'])('rejects the api_ref %j', async (api_ref) => {
      expect(Object.keys(faultsOf(await send({ api_ref })))).toEqual(['api_ref']);
    });

    it('rejects the fields of the Kenyan endpoint, all its faults at once', async () => {
      const answer = await call(stack, merchant, 'POST', path, stkPush({ currency: 'KES', order_id: 'A-1' }));
      expect(answer.status).toBe(400);
      expect(Object.keys(faultsOf(answer)).sort()).toEqual(['currency', 'order_id', 'transaction_desc']);
    });

    it('starts nothing and sends the provider nothing', async () => {
      const before = (await provider.exchanges('initiate')).length;
      const rows = await stack.db('payments').count<{ n: string }[]>({ n: '*' });
      await send({ amount: 499 });
      expect(await provider.exchanges('initiate')).toHaveLength(before);
      expect(await stack.db('payments').count({ n: '*' })).toEqual(rows);
    });

    it('reports that the provider rejects the number, and opens no case', async () => {
      const answer = await send({ currency: 'UGX', phone_number: '255701000011' });
      expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_PHONE_NUMBER']);
      const payment = await paymentOf(stack.db, answer);
      expect(payment).toMatchObject({ state: 'failed', confirmed_minor: null });
      // The error has the invoice of the webhook and its field, and nothing of the provider's body.
      const { invoice_id: invoiceId } = answer.body;
      expect(answer.body).toMatchObject({ state: 'FAILED_VALIDATE', api_ref: payment.account_reference });
      expect(invoiceId).toMatch(/^[A-Z2-7]{26}$/);
      expect(faultsOf(answer)).toEqual({ phone_number: 'The provider rejected phone_number' });
      expect(await webhooksOf(stack.db, payment.payment_id)).toMatchObject([
        { invoice: { invoice_id: invoiceId, state: 'FAILED_VALIDATE' } },
      ]);
      const status = await call(stack, merchant, 'GET', `${path}/status?invoice_id=${String(invoiceId)}`);
      expect(status.body.data).toMatchObject({
        invoice: { state: 'FAILED_VALIDATE' },
        failure_reason: 'Enter a valid phone number: UGX is collected from +256.',
      });
      expect(await openCasesOf(stack.db, payment.payment_id)).toEqual([]);
    });
  });

  it('405: accepts only POST', async () => {
    const answer = await call(stack, merchant, 'GET', path);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });
});
