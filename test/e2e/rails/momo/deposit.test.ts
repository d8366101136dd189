import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { expectClean } from '../../../support/expect-clean';
import { call, type ApiAnswer } from '../../../support/merchant-client';
import { sharedStack } from '../../../support/shared-stack';
import type { Stack, TestMerchant } from '../../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import {
  idOf,
  submissionsOf,
  places,
  post,
  remarksOf,
  transferBody,
  uuidV4,
} from '../../../support/rails/momo/payments';

describe('POST /api/v1/momo/deposit', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    stack = await sharedStack({ timeScale: 20 });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'momo');
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  const send = (changes: Record<string, unknown> = {}) =>
    post(stack, merchant, 'deposit', transferBody(changes));
  const sendText = (body: string, headers: Record<string, string> = {}) =>
    call(stack, merchant, 'POST', '/api/v1/momo/deposit', body, headers);
  const reported = ({ status, body }: ApiAnswer) => [status, body.code];
  const faultsOf = ({ body }: ApiAnswer) =>
    Object.fromEntries((body.details ?? []).map((fault) => [fault.field, fault.message]));
  async function sentFor(answer: ApiAnswer): Promise<Record<string, unknown>> {
    const sent = await submissionsOf(provider, idOf(answer));
    expect(sent).toHaveLength(1);
    return sent[0]?.body ?? {};
  }

  describe('200', () => {
    it('answers with exactly the fields of the specification', async () => {
      const answer = await send();
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        success: true,
        transaction_id: expect.stringMatching(uuidV4),
        status: 'ACCEPTED',
        provider: 'MTN_MOMO_ZMB',
        provider_name: 'MTN',
        provider_predicted: true,
        country: 'ZMB',
        currency: 'ZMW',
        amount: '25.50',
        message: 'Deposit accepted. The customer gets a payment prompt; a callback reports the outcome',
      });
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(answer.headers.get('x-request-id')).toBeTruthy();
    });

    it("sends the provider only allowed data, in the provider's format", async () => {
      const answer = await send({ customer_message: 'Invoice #2041, with thanks!' });
      expect(await sentFor(answer)).toEqual({
        depositId: idOf(answer),
        amount: '25.5',
        currency: 'ZMW',
        payer: {
          type: 'MMO',
          accountDetails: { phoneNumber: '260763000789', provider: 'MTN_MOMO_ZMB' },
        },
        customerMessage: 'Invoice 2041 with than',
        ...remarksOf(idOf(answer), merchant),
      });
      // The provider shows them wherever it shows the payment.
      const shown = await fetch(`${stack.providerUrls.momo}/v2/deposits/${idOf(answer)}`, {
        headers: { authorization: `Bearer ${stack.env['MOMO_TOKEN'] ?? ''}` },
      });
      expect(await shown.json()).toMatchObject({
        data: { clientReferenceId: idOf(answer), metadata: { merchant_id: merchant.merchantId } },
      });
    });

    it.each([
      ['absent', undefined],
      ['empty', ''],
      ['too short', 'abc'],
      ['of signs only', '!?! — ¡¿!'],
      ['in letters no handset shows', 'счёт 7'],
    ])('leaves out a customer_message that is %s', async (_what, customer_message) => {
      const answer = await send(customer_message === undefined ? {} : { customer_message });
      expect(await sentFor(answer)).not.toHaveProperty('customerMessage');
    });

    it('stores the complete message and reference', async () => {
      const given = { customer_message: 'm'.repeat(500), account_reference: `${'r'.repeat(496)} ñ💸` };
      const stored = await getPaymentOrThrow(stack.db, idOf(await send(given)));
      expect([stored.details['customer_message'], stored.account_reference]).toEqual(Object.values(given));
    });

    // pawaPay's own sandbox numbers have the eight digits that Benin gave up on 2024-11-30.
    it.each([
      ['of the former plan', {}],
      ['of the former plan, with its network', { provider: 'MTN_MOMO_BEN' }],
      ['of the present plan', { phone_number: '+2290151345789' }],
    ])('takes a number of Benin %s, if the provider does', async (_what, changes) => {
      const answer = await send({ ...places.benin, ...changes });
      expect([answer.status, answer.body.provider]).toEqual([200, 'MTN_MOMO_BEN']);
    });

    it('uses the given provider, without a lookup', async () => {
      const before = (await provider.exchanges('predict')).length;
      // A ported number: it looks like one of MTN.
      const answer = await send({ ...places.senegal, provider: 'ORANGE_SEN' });
      expect(answer.body).toMatchObject({
        provider: 'ORANGE_SEN',
        provider_name: 'Orange',
        provider_predicted: false,
      });
      expect(await provider.exchanges('predict')).toHaveLength(before);
    });

    it('predicts the provider by the first digits when the provider cannot', async () => {
      await provider.next({ call: 'predict', behave: '500' });
      expect((await send()).body).toMatchObject({ provider: 'MTN_MOMO_ZMB', provider_predicted: true });
    });

    it.each([
      ['1', '1.00', '1'],
      [1, '1.00', '1'],
      ['20000', '20000.00', '20000'],
      ['20000.00', '20000.00', '20000'],
      [10.5, '10.50', '10.5'],
      ['10.5', '10.50', '10.5'],
      ['10.05', '10.05', '10.05'],
      ['100', '100.00', '100'],
    ])('accepts the amount %j for %s, and sends it as %s to the provider', async (amount, shown, wire) => {
      const answer = await send({ amount });
      expect(answer.body.amount).toBe(shown);
      expect(await sentFor(answer)).toMatchObject({ amount: wire });
    });

    it.each([
      ['1500', '1500.00', '1500', places.senegal],
      ['1500.00', '1500.00', '1500', places.senegal],
      ['1250.00', '1250.00', '1250', places.kenya],
    ])('accepts %s of a currency or provider without decimals', async (amount, shown, wire, place) => {
      const answer = await send({ ...place, amount });
      expect(answer.body.amount).toBe(shown);
      expect(await sentFor(answer)).toMatchObject({ amount: wire });
    });

    it('accepts the second currency of a country', async () => {
      expect((await send(places.congo)).body).toMatchObject({
        provider: 'VODACOM_MPESA_COD',
        currency: 'USD',
        amount: '20.00',
      });
    });

    it('sends the preauth_code to a provider that requires it, and shows it nowhere', async () => {
      const answer = await send({ ...places.burkina, preauth_code: '123456' });
      expect(answer.body).toMatchObject({ status: 'ACCEPTED', provider: 'ORANGE_BFA' });
      expect(await sentFor(answer)).toMatchObject({ preAuthorisationCode: '123456' });
      expect(JSON.stringify(answer.body)).not.toContain('123456');
    });

    it('answers with redirect_url if the customer must be sent to a page', async () => {
      const answer = await send({ ...places.senegal, provider: 'WAVE_SEN' });
      expect(answer.body).toMatchObject({
        status: 'ACCEPTED',
        redirect_url: `${stack.providerUrls.momo}/authorise/${idOf(answer)}`,
        message: 'Deposit accepted. Send the customer to redirect_url; a callback reports the outcome',
      });
      expect(await sentFor(answer)).toMatchObject({
        successfulUrl: `${stack.apiUrl}/momo/done`,
        failedUrl: `${stack.apiUrl}/momo/done`,
      });
    });

    it('ignores unknown fields', async () => {
      const answer = await send({ transaction_id: 'mine', status: 'COMPLETED', colour: 'blue' });
      expect(answer.body).toMatchObject({
        transaction_id: expect.stringMatching(uuidV4),
        status: 'ACCEPTED',
      });
    });
  });

  describe('400', () => {
    it('reports all missing fields at once', async () => {
      const answer = await sendText('{}');
      expect(answer.body).toMatchObject({ success: false, code: 'VALIDATION_FAILED' });
      expect([answer.status, faultsOf(answer)]).toEqual([
        400,
        {
          amount: 'amount is required',
          currency: 'currency is required',
          phone_number: 'phone_number is required',
          country: 'country is required',
          account_reference: 'account_reference is required',
        },
      ]);
    });

    it('treats an empty text and null as missing', async () => {
      const nothing = {
        amount: '',
        currency: null,
        phone_number: '',
        country: null,
        account_reference: '  ',
      };
      expect(Object.keys(faultsOf(await send(nothing))).sort()).toEqual(Object.keys(nothing).sort());
    });

    it.each([
      '0763000789',
      '763000789',
      '260763000789',
      '00260763000789',
      '+260 763 000 789',
      '+260-763-000-789',
      ' +260763000789',
      '+260763000789\n',
      '++260763000789',
      '+2600763000789',
      '+26076300078',
      '+2607630007890',
      '+260000000000',
      '+٢٦٠٧٦٣٠٠٠٧٨٩',
      '+',
      '+254700000789',
      '+12025550123',
      260763000789,
      ['+260763000789'],
      { number: '+260763000789' },
      true,
      '+26076300078',
      '+2607630007890',
    ])('rejects the phone %j', async (phone_number) => {
      const answer = await send({ phone_number });
      expect(reported(answer)).toEqual([400, 'INVALID_PHONE_NUMBER']);
      expect(Object.keys(faultsOf(answer))).toEqual(['phone_number']);
    });

    it('rejects a number of a former plan while the provider cannot be asked about it', async () => {
      const phone_number = '+22951346789';
      await provider.next({ call: 'predict', behave: '500' });
      const answer = await send({ ...places.benin, phone_number });
      expect([reported(answer), Object.keys(faultsOf(answer))]).toEqual([
        [400, 'INVALID_PHONE_NUMBER'],
        ['phone_number'],
      ]);
      expect((await send({ ...places.benin, phone_number })).status).toBe(200);
    });

    it.each([
      [{ currency: 'zmw' }, 'currency', 'UNSUPPORTED_CURRENCY'],
      [{ currency: 'EUR' }, 'currency', 'UNSUPPORTED_CURRENCY'],
      [{ currency: 'JPY', amount: '10.50' }, 'currency', 'UNSUPPORTED_CURRENCY'],
      [{ currency: 'KES' }, 'currency', 'UNSUPPORTED_CURRENCY'],
      [{ currency: 'USD' }, 'currency', 'UNSUPPORTED_CURRENCY'],
      [{ currency: 'Kwacha' }, 'currency', 'UNSUPPORTED_CURRENCY'],
      [{ currency: 967 }, 'currency', 'VALIDATION_FAILED'],
      [{ country: 'ZM' }, 'country', 'COUNTRY_NOT_SUPPORTED'],
      [{ country: 'zmb' }, 'country', 'COUNTRY_NOT_SUPPORTED'],
      [{ country: 'Zambia' }, 'country', 'COUNTRY_NOT_SUPPORTED'],
      [{ country: 'ZZZ' }, 'country', 'COUNTRY_NOT_SUPPORTED'],
      [{ country: 894 }, 'country', 'VALIDATION_FAILED'],
      [{ country: 'NOR', phone_number: '+4740612345' }, 'country', 'COUNTRY_NOT_SUPPORTED'],
      [{ provider: 'MTN_MOMO_UGA' }, 'provider', 'PROVIDER_NOT_FOUND'],
      [{ provider: 'mtn_momo_zmb' }, 'provider', 'PROVIDER_NOT_FOUND'],
      [{ provider: 7 }, 'provider', 'VALIDATION_FAILED'],
      [{ account_reference: 'r'.repeat(501) }, 'account_reference', 'VALIDATION_FAILED'],
      [{ account_reference: 2041 }, 'account_reference', 'VALIDATION_FAILED'],
      [{ customer_message: 'm'.repeat(501) }, 'customer_message', 'VALIDATION_FAILED'],
      [{ customer_message: ['hello'] }, 'customer_message', 'VALIDATION_FAILED'],
      [{ preauth_code: '1'.repeat(37) }, 'preauth_code', 'VALIDATION_FAILED'],
      [places.burkina, 'preauth_code', 'PREAUTH_CODE_REQUIRED'],
      [{ ...places.burkina, preauth_code: '' }, 'preauth_code', 'PREAUTH_CODE_REQUIRED'],
      [{ amount: '0' }, 'amount', 'AMOUNT_OUT_OF_RANGE'],
      [{ amount: '0.99' }, 'amount', 'AMOUNT_OUT_OF_RANGE'],
      [{ amount: '20000.01' }, 'amount', 'AMOUNT_OUT_OF_RANGE'],
      [{ ...places.senegal, amount: '99' }, 'amount', 'AMOUNT_OUT_OF_RANGE'],
      [{ ...places.congo, amount: '2500.01' }, 'amount', 'AMOUNT_OUT_OF_RANGE'],
      [{ ...places.senegal, amount: '1500.50' }, 'amount', 'INVALID_AMOUNT'],
      [{ ...places.kenya, amount: '1250.50' }, 'amount', 'INVALID_AMOUNT'],
      [{ amount: '10.005' }, 'amount', 'INVALID_AMOUNT'],
      [{ amount: -10 }, 'amount', 'INVALID_AMOUNT'],
      [{ amount: '+10' }, 'amount', 'INVALID_AMOUNT'],
      [{ amount: '1e3' }, 'amount', 'INVALID_AMOUNT'],
      [{ amount: '0x10' }, 'amount', 'INVALID_AMOUNT'],
      [{ amount: '010' }, 'amount', 'INVALID_AMOUNT'],
      [{ amount: '1,000' }, 'amount', 'INVALID_AMOUNT'],
      [{ amount: ' 10' }, 'amount', 'INVALID_AMOUNT'],
      [{ amount: '10.' }, 'amount', 'INVALID_AMOUNT'],
      [{ amount: true }, 'amount', 'INVALID_AMOUNT'],
      [{ amount: [10] }, 'amount', 'INVALID_AMOUNT'],
    ])('rejects %j: the fault is in %s', async (changes, field, code) => {
      const answer = await send(changes);
      expect([reported(answer), Object.keys(faultsOf(answer))]).toEqual([[400, code], [field]]);
    });

    it.each(['', '[]', 'null', '{"amount":"1","amount":"2"}', '{"__proto__":{}}', '{'])(
      'rejects the body %j, which is not a JSON object',
      async (body) => {
        const answer = await sendText(body, { 'Content-Type': 'application/json' });
        expect(reported(answer)).toEqual([400, 'INVALID_JSON']);
      },
    );

    it('reports that the provider rejects the preauth_code, with the transaction', async () => {
      const answer = await send({ ...places.burkina, preauth_code: '000000' });
      expect(reported(answer)).toEqual([400, 'PROVIDER_REJECTED_REQUEST']);
      expect(JSON.stringify(answer.body)).not.toMatch(/preAuthorisationCode|INVALID_PARAMETER/);
      expect(await getPaymentOrThrow(stack.db, idOf(answer))).toMatchObject({ state: 'failed' });
    });

    it('starts nothing and sends the provider nothing', async () => {
      const before = (await provider.exchanges('initiate')).length;
      const rows = await stack.db('payments').count({ n: '*' });
      await send({ amount: '0.99' });
      await send(places.burkina);
      expect(await provider.exchanges('initiate')).toHaveLength(before);
      expect(await stack.db('payments').count({ n: '*' })).toEqual(rows);
    });
  });
});
