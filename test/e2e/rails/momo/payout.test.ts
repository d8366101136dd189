import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { expectClean } from '../../../support/expect-clean';
import type { ApiAnswer } from '../../../support/merchant-client';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { verifySignature } from '../../../support/webhook-receiver';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { openCasesOf } from '../../../support/payments/timeline';
import {
  callbacksOf,
  floatOf,
  fund,
  idOf,
  submissionsOf,
  isoUtc,
  places,
  post,
  remarksOf,
  setNetwork,
  shownAs,
  notifiedOf,
  transferBody,
  uuidV4,
} from '../../../support/rails/momo/payments';
import { fieldsOfMomoWebhooks } from '../../../support/webhook-fields';

describe('POST /api/v1/momo/payout', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 20 });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'momo');
    await setNetwork(provider, 'ZAMTEL_ZMB', 'PAYOUT', 'CLOSED');
    await setNetwork(provider, 'AIRTEL_OAPI_ZMB', 'PAYOUT', 'DELAYED');
    await fund(stack, merchant, 100_000_000n);
    await fund(stack, merchant, 100_000n, { country: 'MWI', currency: 'MWK' });
  });
  afterAll(async () => {
    await expectClean({ db: stack.db, env: stack.env });
    await stack.stop();
  });

  const send = (changes: Record<string, unknown> = {}, as = merchant, key?: string) =>
    post(stack, as, 'payout', transferBody(changes), key === undefined ? {} : { 'Idempotency-Key': key });
  const reported = ({ status, body }: ApiAnswer) => [status, body.code];
  const faultsOf = ({ body }: ApiAnswer) => (body.details ?? []).map(({ field }) => field);
  const sentTo = async (phone: string) =>
    (await provider.exchanges('initiate')).filter(({ body }) => JSON.stringify(body).includes(phone.slice(1)))
      .length;
  const withFloat = async (minor: bigint) => {
    const funded = await stack.createMerchant();
    await fund(stack, funded, minor);
    return funded;
  };

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
        cancellable: false,
        message: 'Payout accepted. A callback reports the outcome',
      });
    });

    it('sends the provider the recipient, and no payer', async () => {
      const answer = await send({ customer_message: 'Your winnings', preauth_code: '123456' });
      const [sent] = await submissionsOf(provider, idOf(answer));
      expect(sent?.body).toEqual({
        payoutId: idOf(answer),
        amount: '25.5',
        currency: 'ZMW',
        recipient: {
          type: 'MMO',
          accountDetails: { phoneNumber: '260763000789', provider: 'MTN_MOMO_ZMB' },
        },
        customerMessage: 'Your winnings',
        ...remarksOf(idOf(answer), merchant),
      });
    });

    it('needs neither a page nor a code of the customer, whatever a deposit there needs', async () => {
      const rich = await stack.createMerchant();
      for (const country of ['SEN', 'BFA']) await fund(stack, rich, 10_000n, { country, currency: 'XOF' });
      for (const body of [{ ...places.senegal, provider: 'WAVE_SEN' }, places.burkina]) {
        const answer = await send(body, rich);
        expect([answer.status, answer.body.status]).toEqual([200, 'ACCEPTED']);
        expect(answer.body).not.toHaveProperty('redirect_url');
      }
    });

    it('reserves the amount at once, and spends it when the provider says COMPLETED', async () => {
      const payer = await withFloat(10_000n);
      const id = idOf(await send({ phone_number: '+260763000001' }, payer));
      const { free, reserved } = await floatOf(stack, payer);
      expect(free).toBe(7_450n);
      // It may have been spent by now.
      expect([2_550n, 0n]).toContain(reserved);
      await notifiedOf(payer, id, 'Success');
      expect(await floatOf(stack, payer)).toEqual({ free: 7_450n, reserved: 0n });
    });

    it('accepts the whole rest of the float', async () => {
      const payer = await withFloat(2_550n);
      await notifiedOf(payer, idOf(await send({}, payer)), 'Success');
      expect(await floatOf(stack, payer)).toEqual({ free: 0n, reserved: 0n });
    });

    describe('when the network cannot pay out now', () => {
      const phone_number = '+260773000001';
      const amount = '99.00';

      it('answers ENQUEUED and cancellable, with a message, and keeps the amount reserved', async () => {
        const payer = await withFloat(10_000n);
        // The answer to the payout contains it: a later query may fail.
        const where = { phone_number: phone_number.slice(1) };
        await provider.next({ call: 'status', behave: '503', where });
        const answer = await send({ phone_number, amount, account_reference: 'Q-1' }, payer);
        expect(answer.status).toBe(200);
        expect(answer.body).toEqual({
          success: true,
          transaction_id: expect.stringMatching(uuidV4),
          status: 'ENQUEUED',
          provider: 'AIRTEL_OAPI_ZMB',
          provider_name: 'Airtel',
          provider_predicted: true,
          country: 'ZMB',
          currency: 'ZMW',
          amount: '99.00',
          cancellable: true,
          message: expect.stringMatching(/queued/i),
        });
        expect(await floatOf(stack, payer)).toEqual({ free: 100n, reserved: 9_900n });
      });

      it('sends the exact callback Processing once, and then the end', async () => {
        const payer = await withFloat(10_000n);
        const id = idOf(await send({ phone_number, amount, account_reference: 'Q-2' }, payer));
        const processing = await notifiedOf(payer, id, 'Processing');
        expect(processing.body).toEqual({
          ...fieldsOfMomoWebhooks,
          transaction_id: id,
          type: 'payout',
          status: 'Processing',
          provider: 'AIRTEL_OAPI_ZMB',
          country: 'ZMB',
          currency: 'ZMW',
          requested_amount: '99.00',
          amount: '0.00',
          phone_number,
          provider_transaction_id: '',
          account_reference: 'Q-2',
          failure_code: null,
          failure_message: null,
          timestamp: expect.stringMatching(isoUtc),
        });
        expect(processing.headers).toMatchObject({ 'x-callback-type': 'Mobile-Money' });
        verifySignature(processing, payer.webhookSecret);
        const sentAt = Date.parse(String(processing.body['timestamp']));
        expect(String(Math.floor(sentAt / 1_000))).toBe(processing.headers['webhook-timestamp']);
        await setNetwork(provider, 'AIRTEL_OAPI_ZMB', 'PAYOUT', 'OPERATIONAL');
        await notifiedOf(payer, id, 'Success');
        await setNetwork(provider, 'AIRTEL_OAPI_ZMB', 'PAYOUT', 'DELAYED');
        expect(callbacksOf(payer, id).map(({ body }) => body['status'])).toEqual(['Processing', 'Success']);
        expect(await floatOf(stack, payer)).toEqual({ free: 100n, reserved: 0n });
      });

      it('answers so even when it has only just become slow', async () => {
        // The list of networks has the old status for minutes to come.
        await send();
        await setNetwork(provider, 'MTN_MOMO_ZMB', 'PAYOUT', 'DELAYED');
        const answer = await send();
        await setNetwork(provider, 'MTN_MOMO_ZMB', 'PAYOUT', 'OPERATIONAL');
        expect(answer.body).toMatchObject({ status: 'ENQUEUED', cancellable: true });
        await notifiedOf(merchant, idOf(answer), 'Success');
      });
    });
  });

  describe('400', () => {
    it('rejects a payout above the float before anything is sent to the provider', async () => {
      const payer = await withFloat(2_549n);
      const phone_number = '+260763000002';
      const answer = await send({ phone_number }, payer);
      expect(reported(answer)).toEqual([400, 'FLOAT_INSUFFICIENT']);
      expect(answer.body.error).toBe('Payout amount exceeds the available float');
      expect(await sentTo(phone_number)).toBe(0);
      expect(await stack.db('payments').where({ merchant_id: payer.merchantId })).toEqual([]);
      expect(await floatOf(stack, payer)).toEqual({ free: 2_549n, reserved: 0n });
    });

    it.each([
      ['of another country', { country: 'MWI', currency: 'MWK' } as const],
      ['in another currency', { country: 'ZMB', currency: 'USD' } as const],
    ])('does not use a float %s', async (_what, place) => {
      const payer = await stack.createMerchant();
      await fund(stack, payer, 1_000_000n, place);
      expect(reported(await send({}, payer))).toEqual([400, 'FLOAT_INSUFFICIENT']);
      expect(await floatOf(stack, payer, place)).toEqual({ free: 1_000_000n, reserved: 0n });
    });

    it('does not count reserves of other payouts as available', async () => {
      const payer = await withFloat(5_000n);
      await send({ phone_number: '+260773000002' }, payer);
      expect(reported(await send({ phone_number: '+260773000003' }, payer))).toEqual([
        400,
        'FLOAT_INSUFFICIENT',
      ]);
      expect(await floatOf(stack, payer)).toEqual({ free: 2_450n, reserved: 2_550n });
    });

    it('reports all missing fields at once', async () => {
      const answer = await post(stack, merchant, 'payout', {});
      expect([reported(answer), faultsOf(answer).sort()]).toEqual([
        [400, 'VALIDATION_FAILED'],
        ['account_reference', 'amount', 'country', 'currency', 'phone_number'],
      ]);
    });

    it.each([
      [{ phone_number: '0763000789' }, 'phone_number', 'INVALID_PHONE_NUMBER'],
      [{ phone_number: '+254700000789' }, 'phone_number', 'INVALID_PHONE_NUMBER'],
      [{ currency: 'KES' }, 'currency', 'UNSUPPORTED_CURRENCY'],
      [{ country: 'ZM' }, 'country', 'COUNTRY_NOT_SUPPORTED'],
      [{ provider: 'MPESA_KEN' }, 'provider', 'PROVIDER_NOT_FOUND'],
      [{ amount: '0.99' }, 'amount', 'AMOUNT_OUT_OF_RANGE'],
      [{ amount: '20000.01' }, 'amount', 'AMOUNT_OUT_OF_RANGE'],
      [{ amount: '1.005' }, 'amount', 'INVALID_AMOUNT'],
      [{ ...places.uganda, amount: '5000.50' }, 'amount', 'INVALID_AMOUNT'],
    ])('rejects %j: the fault is in %s', async (changes, field, code) => {
      const answer = await send(changes);
      expect([reported(answer), faultsOf(answer)]).toEqual([[400, code], [field]]);
    });
  });

  describe('502', () => {
    it("when the provider's balance is empty: the float is released, and an operator gets a case", async () => {
      const purse = { country: 'MWI', currency: 'MWK' } as const;
      await provider.notify('wallets', { ...purse, balance: '10.00' });
      const before = await floatOf(stack, merchant, purse);
      const answer = await send(places.malawi);
      await provider.notify('wallets', { ...purse, balance: '1000000.00' });
      expect(reported(answer)).toEqual([502, 'PROVIDER_ACCOUNT_REFUSED']);
      expect(JSON.stringify(answer.body)).not.toMatch(/pawapay|wallet/i);
      expect(await floatOf(stack, merchant, purse)).toEqual(before);
      expect(await openCasesOf(stack.db, idOf(answer))).toEqual(['account_refused']);
    });
  });

  describe('503', () => {
    it('while the network is CLOSED: nothing is reserved and nothing is sent', async () => {
      const payer = await withFloat(10_000n);
      const phone_number = '+260753000001';
      const answer = await send({ phone_number }, payer);
      expect(reported(answer)).toEqual([503, 'PROVIDER_TEMPORARILY_UNAVAILABLE']);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await sentTo(phone_number)).toBe(0);
      expect(await floatOf(stack, payer)).toEqual({ free: 10_000n, reserved: 0n });
    });
  });

  describe('with an Idempotency-Key', () => {
    it('200: repeats the first answer, and pays and reserves once', async () => {
      const payer = await withFloat(10_000n);
      const body = { phone_number: '+260763000005', account_reference: 'once' };
      const [first, again] = [await send(body, payer, 'key-1'), await send(body, payer, 'key-1')];
      expect([again.status, again.body]).toEqual([first.status, first.body]);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      await notifiedOf(payer, idOf(first), 'Success');
      expect(await sentTo('+260763000005')).toBe(1);
      expect(await floatOf(stack, payer)).toEqual({ free: 7_450n, reserved: 0n });
    });

    it('422: rejects the key with another body', async () => {
      const answers = [await send({ amount: '5' }, merchant, 'key-2'), await send({}, merchant, 'key-2')];
      expect(answers.map(({ status }) => status)).toEqual([200, 422]);
    });
  });

  it('a lost answer leads to one payout, not two', async () => {
    const payer = await withFloat(10_000n);
    const phone_number = '+260763000006';
    const where = { phone_number: phone_number.slice(1) };
    await provider.next({ call: 'initiate', behave: 'act_then_drop', where });
    const answer = await send({ phone_number }, payer);
    expect(answer.body).toMatchObject({ status: 'ACCEPTED' });
    await notifiedOf(payer, idOf(answer), 'Success');
    expect(await getPaymentOrThrow(stack.db, idOf(answer))).toMatchObject({ state: 'succeeded' });
    await shownAs(stack, payer, idOf(answer), { payment_status: 'Success' });
    expect(await floatOf(stack, payer)).toEqual({ free: 7_450n, reserved: 0n });
  });
});
