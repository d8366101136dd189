import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { acceptedBody } from '../../../../src/rails/stk/responses';
import type { PaymentRow } from '../../../../src/store/tables';
import { expectClean } from '../../../support/expect-clean';
import { call, paymentIdOf, stkPush, type ApiAnswer } from '../../../support/merchant-client';
import { sharedStack } from '../../../support/shared-stack';
import type { Stack, TestMerchant } from '../../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { push } from '../../../support/rails/stk/payments';

describe('POST /api/v1/stk_push', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    stack = await sharedStack({ timeScale: 1 });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'stk');
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  const path = '/api/v1/stk_push';
  const send = (changes: Record<string, unknown>) => push(stack, merchant, changes);
  const sendText = (body: string, headers: Record<string, string> = {}) =>
    call(stack, merchant, 'POST', path, body, headers);
  const faultsOf = ({ body }: ApiAnswer) =>
    Object.fromEntries((body.details ?? []).map((fault) => [fault.field, fault.message]));

  /** The provider's queries about this payment. */
  async function askedFor(paymentId: string): Promise<Record<string, unknown>> {
    const { callback_token: token } = await getPaymentOrThrow(stack.db, paymentId);
    const asked = (await provider.exchanges('initiate')).filter(({ body }) =>
      String(body.CallBackURL).endsWith(`/${String(token)}`),
    );
    expect(asked).toHaveLength(1);
    return asked[0]?.body ?? {};
  }

  describe('200', () => {
    it('answers with exactly the specified fields and the amount of the prompt', async () => {
      const answer = await send({ phone_number: '254712000001', amount: 1250.5, order_id: 'ORDER-1' });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        success: true,
        message:
          'STK push sent. A webhook reports the result. The prompt asks for 1250.00 KES of the requested 1250.50: the network accepts only whole shillings',
        warnings: [
          'The prompt asks for 1250.00 KES of the requested 1250.50: the network accepts only whole shillings',
        ],
        data: {
          payment_id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
          merchant_request_id: expect.stringMatching(/^\d+-\d+-\d+$/),
          checkout_request_id: expect.stringMatching(/^ws_CO_\d+$/),
          customer_message: 'Success. Request accepted for processing',
          amount: 1250.5,
          initial_amount: 1250.5,
          asked_amount: 1250,
          phone_number: '254712000001',
          order_id: 'ORDER-1',
        },
      });
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(answer.headers.get('x-request-id')).toBeTruthy();
    });

    it('has no warning if the prompt asks for all of it', async () => {
      const { body } = await send({ phone_number: '254712000001', amount: 1251 });
      expect(body).not.toHaveProperty('warnings');
      expect(body.data).toMatchObject({ amount: 1251, initial_amount: 1251, asked_amount: 1251 });
      expect(body.message).toBe('STK push sent. A webhook reports the result');
    });

    it('warns of cents only in the sandbox; in live the fields and the sentence show the same', () => {
      const payment = { requested_minor: '125050', instructed_minor: '125000', currency: 'KES', details: {} };
      const live = acceptedBody(payment as unknown as PaymentRow, 'live');
      expect(live).not.toHaveProperty('warnings');
      expect(live.message).toContain('asks for 1250.00 KES of the requested 1250.50');
      expect(live.data).toMatchObject({ initial_amount: 1250.5, asked_amount: 1250 });
    });

    it('shows an absent order_id as an empty text', async () => {
      expect((await send({ phone_number: '254712000002' })).body.data?.order_id).toBe('');
    });

    it.each([
      ['0712000003', '254712000003'],
      ['0112000003', '254112000003'],
      ['+254712000004', '254712000004'],
      ['254112000005', '254112000005'],
      ['0712 000 006', '254712000006'],
      [' +254 712 000 007 ', '254712000007'],
    ])('accepts the phone %j for %s', async (sent, phone) => {
      const answer = await send({ phone_number: sent });
      expect(answer.body.data?.phone_number).toBe(phone);
      expect(await askedFor(paymentIdOf(answer))).toMatchObject({ PartyA: phone, PhoneNumber: phone });
    });

    it.each([
      ['10.00', 10],
      [10, 10],
      ['150000.00', 150000],
      [150000, 150000],
    ])('accepts the amount %j, the limit itself', async (amount, shown) => {
      expect((await send({ phone_number: '254712000008', amount })).body.data?.amount).toBe(shown);
    });

    it('accepts the number 10.5 for 10.50, because JSON numbers have no trailing zeros', async () => {
      const answer = await sendText(
        JSON.stringify(stkPush({ phone_number: '254712000009' })).replace('1250', '10.5'),
      );
      expect(answer.body.data?.amount).toBe(10.5);
    });

    it.each([
      ['10.49', 10],
      ['10.50', 10],
      ['149999.99', 149999],
    ])('rounds the prompt down to whole shillings, and reports it: %s becomes %d', async (amount, asked) => {
      const answer = await send({ phone_number: '254712000010', amount });
      expect(answer.body.data?.amount).toBe(Number(amount));
      expect(answer.body.message).toContain(`asks for ${String(asked)}.00 KES of the requested ${amount}`);
      expect(await askedFor(paymentIdOf(answer))).toMatchObject({ Amount: asked });
    });

    it('stores a long account_reference and sends its first 12 characters', async () => {
      const account_reference = 'INVOICE-2026-0000041';
      const answer = await send({ phone_number: '254712000011', account_reference });
      const paymentId = paymentIdOf(answer);
      expect(await askedFor(paymentId)).toMatchObject({ AccountReference: 'INVOICE-2026' });
      expect(await getPaymentOrThrow(stack.db, paymentId)).toMatchObject({ account_reference });
    });

    it('sends the first 13 characters of the description', async () => {
      const answer = await send({
        phone_number: '254712000012',
        transaction_desc: 'Two bags of maize flour',
      });
      expect(await askedFor(paymentIdOf(answer))).toMatchObject({ TransactionDesc: 'Two bags of m' });
    });

    it.each([
      ['an emoji', 'ORDER-20260🧾-1', 'ORDER-20260'],
      ['a flag', 'ORDER-202🇰🇪🇹🇿', 'ORDER-202'],
      ['an accent', 'CAFE-LATTE-e\u0301', 'CAFE-LATTE-'],
      ['an emoji of several', 'GIFT👨‍👩‍👧‍👦-1', 'GIFT'],
    ])("cuts the customer's text before %s, and never inside it", async (_, written, cut) => {
      const answer = await send({
        phone_number: '254712000016',
        account_reference: written,
        transaction_desc: ` ${written}`,
      });
      expect(await askedFor(paymentIdOf(answer))).toMatchObject({
        AccountReference: cut,
        TransactionDesc: ` ${cut}`,
      });
    });

    it('never sends the provider a guessable address', async () => {
      const { CallBackURL: url } = await askedFor(paymentIdOf(await send({ phone_number: '254712000013' })));
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/in\/stk\/[0-9a-f]{32}$/);
    });

    it('stores the metadata and returns it with every digit', async () => {
      const body = JSON.stringify(stkPush({ phone_number: '254712000014', metadata: 'here' }));
      const metadata = '{"cart":{"items":[1,2]},"weight":1.10,"serial":12345678901234567890,"note":"ñ 🛒"}';
      const answer = await sendText(body.replace('"here"', metadata));
      const status = await fetch(`${stack.apiUrl}${path}/status?payment_id=${paymentIdOf(answer)}`, {
        headers: { 'X-API-Key': merchant.apiKey, 'X-API-Secret': merchant.apiSecret },
      });
      expect(await status.text()).toContain(`"metadata":${metadata}`);
    });

    it('ignores unknown fields, and its own currency', async () => {
      const answer = await send({
        phone_number: '254712000015',
        currency: 'KES',
        colour: 'blue',
        payment_id: 'mine',
      });
      expect(answer.status).toBe(200);
      expect(answer.body.data?.payment_id).not.toBe('mine');
    });
  });

  describe('400', () => {
    it('reports all missing fields at once', async () => {
      const answer = await sendText('{}');
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ success: false, code: 'VALIDATION_FAILED' });
      expect(faultsOf(answer)).toEqual({
        phone_number: 'phone_number is required',
        amount: 'amount is required',
        account_reference: 'account_reference is required',
        transaction_desc: 'transaction_desc is required',
      });
    });

    it('treats an empty text and null as missing', async () => {
      const answer = await send({
        account_reference: '',
        transaction_desc: null,
        phone_number: '  ',
        amount: '',
      });
      expect(Object.keys(faultsOf(answer)).sort()).toEqual([
        'account_reference',
        'amount',
        'phone_number',
        'transaction_desc',
      ]);
    });

    it.each([
      '712345678',
      '0812345678',
      '0212345678',
      '071234567',
      '07123456789',
      '255712345678',
      '+255712345678',
      '0712-345-678',
      '00254712345678',
      '2540712345678',
      '++254712345678',
      '٠٧١٢٣٤٥٦٧٨',
      '0712345678; DROP TABLE payments',
      '0712345678\n',
      254712345678,
      ['254712345678'],
      { number: '254712345678' },
      true,
    ])('rejects the phone %j', async (phone_number) => {
      const answer = await send({ phone_number });
      expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_PHONE_NUMBER']);
      expect(faultsOf(answer).phone_number).toContain('must be a Kenyan mobile number');
    });

    it.each([
      ['9.99', 'AMOUNT_OUT_OF_RANGE'],
      [9.99, 'AMOUNT_OUT_OF_RANGE'],
      ['150000.01', 'AMOUNT_OUT_OF_RANGE'],
      [150000.01, 'AMOUNT_OUT_OF_RANGE'],
      [0, 'AMOUNT_OUT_OF_RANGE'],
      ['10.5', 'INVALID_AMOUNT'],
      ['10', 'INVALID_AMOUNT'],
      ['10.005', 'INVALID_AMOUNT'],
      [10.005, 'INVALID_AMOUNT'],
      [-10, 'INVALID_AMOUNT'],
      ['1e2', 'INVALID_AMOUNT'],
      ['0x10', 'INVALID_AMOUNT'],
      ['10,00', 'INVALID_AMOUNT'],
      [' 10.00', 'INVALID_AMOUNT'],
      ['NaN', 'INVALID_AMOUNT'],
      [true, 'INVALID_AMOUNT'],
      [[10], 'INVALID_AMOUNT'],
      [{}, 'INVALID_AMOUNT'],
    ])('rejects the amount %j as %s', async (amount, code) => {
      const answer = await send({ amount });
      expect([answer.status, answer.body.code]).toEqual([400, code]);
      expect(Object.keys(faultsOf(answer))).toEqual(['amount']);
    });

    it.each(['1e2', '1E+2', '10.0000000000000001', '12345678901234567890'])(
      'rejects the bare number %s',
      async (digits) => {
        const answer = await sendText(JSON.stringify(stkPush()).replace('1250', digits));
        expect(answer.status).toBe(400);
      },
    );

    it.each(['UGX', 'TZS', 'USD'])('rejects %s: this endpoint is for Kenyan shillings', async (currency) => {
      for (const amount of [1250, 1]) {
        const answer = await send({ currency, amount });
        expect([answer.status, answer.body.code]).toEqual([400, 'UNSUPPORTED_CURRENCY']);
        expect(answer.body.message).toBe('currency must be KES');
      }
    });

    it.each([['a text'], [[1]], [7], [true], [{ note: 'x'.repeat(4096) }]])(
      'rejects metadata such as %j',
      async (metadata) => {
        expect(Object.keys(faultsOf(await send({ metadata })))).toEqual(['metadata']);
      },
    );

    it.each(['', '[]', 'null', '"text"', '{"amount":10,"amount":20}', '{"__proto__":{}}', '{'])(
      'rejects the body %j, which is not a JSON object',
      async (body) => {
        const answer = await sendText(body, { 'Content-Type': 'application/json' });
        expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_JSON']);
      },
    );

    it('starts nothing and sends the provider nothing', async () => {
      const before = (await provider.exchanges('initiate')).length;
      const rows = await stack.db('payments').count<{ n: string }[]>({ n: '*' });
      await send({ amount: '9.99' });
      expect(await provider.exchanges('initiate')).toHaveLength(before);
      expect(await stack.db('payments').count({ n: '*' })).toEqual(rows);
    });
  });

  describe('405, 413, 415', () => {
    it('accepts only POST', async () => {
      const answer = await call(stack, merchant, 'GET', path);
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
    });

    it('rejects a body above 64 kB', async () => {
      const answer = await sendText(JSON.stringify(stkPush({ transaction_desc: 'x'.repeat(65_536) })));
      expect([answer.status, answer.body.code]).toEqual([413, 'BODY_TOO_LARGE']);
    });

    it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16'])(
      'rejects %s',
      async (type) => {
        const answer = await sendText(JSON.stringify(stkPush()), { 'Content-Type': type });
        expect([answer.status, answer.body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
      },
    );
  });
});
