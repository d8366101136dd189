import { v4 as randomUuid } from 'uuid';
import { transferByHand } from '../../../../tools/sandbox/transfer-by-hand';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { expectClean } from '../../../support/expect-clean';
import type { ApiAnswer } from '../../../support/merchant-client';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { verifySignature } from '../../../support/webhook-receiver';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { atRest, openCasesOf } from '../../../support/payments/timeline';
import {
  accepted,
  callbacksOf,
  fund,
  idOf,
  submissionsOf,
  isoUtc,
  paidDeposit,
  places,
  post,
  remarksOf,
  setNetwork,
  shownAs,
  statusOf,
  notifiedOf,
  transferBody,
  uuidV4,
  walletOf,
} from '../../../support/rails/momo/payments';
import { fieldsOfMomoWebhooks } from '../../../support/webhook-fields';

describe('POST /api/v1/momo/refund', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 20 });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'momo');
    await setNetwork(provider, 'ZAMTEL_ZMB', 'REFUND', 'CLOSED');
    await setNetwork(provider, 'AIRTEL_OAPI_ZMB', 'REFUND', 'DELAYED');
  });
  afterAll(async () => {
    await expectClean({ db: stack.db, env: stack.env });
    await stack.stop();
  });

  const refund = (body: Record<string, unknown>, as = merchant, headers = {}): Promise<ApiAnswer> =>
    post(stack, as, 'refund', body, headers);
  const reported = ({ status, body }: ApiAnswer) => [status, body.code];
  const refundsOf = (deposit: string) =>
    stack.db('payments').where({ parent_id: deposit, kind: 'refund' }).orderBy('created_at');
  /** A merchant of its own with one paid deposit of 25.50 ZMW. */
  const seller = async (changes: Record<string, unknown> = {}): Promise<[TestMerchant, string]> => {
    const own = await stack.createMerchant();
    return [own, await paidDeposit(stack, own, changes)];
  };

  describe('200', () => {
    it('refunds all of it without an amount: exactly its fields', async () => {
      const [own, deposit] = await seller();
      const answer = await refund({ transaction_id: deposit }, own);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        success: true,
        transaction_id: expect.stringMatching(uuidV4),
        deposit_transaction_id: deposit,
        type: 'refund',
        status: 'ACCEPTED',
        amount: '25.50',
        currency: 'ZMW',
        message: 'Refund accepted. A callback reports the outcome',
      });
      expect(idOf(answer)).not.toBe(deposit);
      await notifiedOf(own, idOf(answer), 'Success');
      expect(await walletOf(stack, own)).toEqual({ free: 0n, reserved: 0n });
    });

    it('sends the provider the deposit, and no recipient', async () => {
      const [own, deposit] = await seller();
      const id = idOf(await refund({ transaction_id: deposit, amount: '5.00' }, own));
      await notifiedOf(own, id, 'Success');
      const [sent] = await submissionsOf(provider, id);
      const asked = { refundId: id, depositId: deposit, amount: '5', currency: 'ZMW' };
      expect(sent?.body).toEqual({ ...asked, ...remarksOf(id, own) });
    });

    it('sends the merchant the exact callback', async () => {
      const [own, deposit] = await seller({ account_reference: 'SOLD-1' });
      const id = idOf(await refund({ transaction_id: deposit, amount: 10.5 }, own));
      const callback = await notifiedOf(own, id, 'Success');
      expect(callback.headers).toMatchObject({ 'x-callback-type': 'Mobile-Money' });
      expect(callback.body).toEqual({
        ...fieldsOfMomoWebhooks,
        transaction_id: id,
        type: 'refund',
        status: 'Success',
        provider: 'MTN_MOMO_ZMB',
        country: 'ZMB',
        currency: 'ZMW',
        requested_amount: '10.50',
        amount: '10.50',
        phone_number: '+260763000789',
        provider_transaction_id: expect.stringMatching(/^\d+$/),
        account_reference: 'SOLD-1',
        failure_code: null,
        failure_message: null,
        timestamp: expect.stringMatching(isoUtc),
      });
      verifySignature(callback, own.webhookSecret);
      await atRest(stack.db, id);
      expect(callbacksOf(own, id)).toHaveLength(1);
    });

    it('accepts parts one after the other, then the whole rest, and then no more', async () => {
      const [own, deposit] = await seller();
      const parts = [
        await refund({ transaction_id: deposit, amount: '10.00' }, own),
        await refund({ transaction_id: deposit, amount: '5.5' }, own),
        await refund({ transaction_id: deposit }, own),
      ];
      expect(parts.map(({ body }) => body.amount)).toEqual(['10.00', '5.50', '10.00']);
      expect(reported(await refund({ transaction_id: deposit }, own))).toEqual([
        400,
        'REFUND_EXCEEDS_REMAINDER',
      ]);
      for (const part of parts) await notifiedOf(own, idOf(part), 'Success');
      // The provider accepts one refund of a deposit at a time; the others have queued.
      const sent = (await provider.exchanges('initiate')).filter(
        ({ body }) => body['depositId'] === deposit && body['refundId'] !== undefined,
      );
      expect(sent.map(({ body }) => body['refundId'])).toEqual(parts.map(idOf));
      expect(await walletOf(stack, own)).toEqual({ free: 0n, reserved: 0n });
    });

    it('accepts a part that is smaller than the minimum deposit', async () => {
      const [own, deposit] = await seller();
      for (const amount of ['25.00', '0.50']) {
        const answer = await refund({ transaction_id: deposit, amount }, own);
        expect([answer.status, answer.body.amount]).toEqual([200, amount]);
        await notifiedOf(own, idOf(answer), 'Success');
      }
    });

    it('uses the limits of the deposit’s own currency, if a provider has two', async () => {
      const [own, deposit] = await seller(places.congo);
      const answer = await refund({ transaction_id: deposit, amount: '2.50' }, own);
      expect([answer.status, answer.body]).toMatchObject([200, { amount: '2.50', currency: 'USD' }]);
      await notifiedOf(own, idOf(answer), 'Success');
    });

    it('is queued while the network is delayed, and the merchant only gets the end', async () => {
      const [own, deposit] = await seller({ phone_number: '+260773000001' });
      const id = idOf(await refund({ transaction_id: deposit }, own));
      await shownAs(stack, own, id, { status: 'ENQUEUED', is_final: false, payment_status: 'Processing' });
      expect(await walletOf(stack, own)).toEqual({ free: 0n, reserved: 2_550n });
      await setNetwork(provider, 'AIRTEL_OAPI_ZMB', 'REFUND', 'OPERATIONAL');
      await notifiedOf(own, id, 'Success');
      expect(callbacksOf(own, id)).toHaveLength(1);
    });

    it('that failed returns the money to the wallet, and may be requested again', async () => {
      // A refund to this number fails; a deposit from it does not.
      const [own, deposit] = await seller({ phone_number: '+260763002089' });
      const id = idOf(await refund({ transaction_id: deposit }, own));
      const callback = await notifiedOf(own, id, 'Failed');
      const why = { failure_code: 'RECIPIENT_NOT_FOUND', failure_message: expect.any(String) };
      expect(callback.body).toMatchObject({ ...why, amount: '0.00', requested_amount: '25.50' });
      expect(await walletOf(stack, own)).toEqual({ free: 2_550n, reserved: 0n });
      const again = await refund({ transaction_id: deposit }, own);
      expect([again.status, again.body.amount]).toEqual([200, '25.50']);
      await notifiedOf(own, idOf(again), 'Failed');
    });

    it('that the provider rejects because of our own account fails by callback, and an operator gets a case', async () => {
      const [own, deposit] = await seller(places.malawi);
      const purse = { country: 'MWI', currency: 'MWK' };
      await provider.notify('wallets', { ...purse, balance: '0.00' });
      const id = idOf(await refund({ transaction_id: deposit }, own));
      const callback = await notifiedOf(own, id, 'Failed');
      await provider.notify('wallets', { ...purse, balance: '1000000.00' });
      expect(callback.body).toMatchObject({ failure_code: 'PROVIDER_ACCOUNT_REFUSED' });
      expect(JSON.stringify(callback.body)).not.toMatch(/pawapay|wallet/i);
      expect(await openCasesOf(stack.db, id)).toEqual(['account_refused']);
      expect(await walletOf(stack, own, 'MWK')).toEqual({ free: 15_000n, reserved: 0n });
    });

    it('once with an Idempotency-Key, and a repeat gets the first answer again', async () => {
      const [own, deposit] = await seller();
      const body = { transaction_id: deposit, amount: '5.00' };
      const headers = { 'Idempotency-Key': 'refund-1' };
      const [first, again] = [await refund(body, own, headers), await refund(body, own, headers)];
      expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([first.body, 'true']);
      expect((await refund({ ...body, amount: '6.00' }, own, headers)).status).toBe(422);
      expect(await refundsOf(deposit)).toHaveLength(1);
      await notifiedOf(own, idOf(first), 'Success');
    });
  });

  describe('400', () => {
    it.each([undefined, null, '', 7, ['x']])('rejects the transaction_id %j', async (transaction_id) => {
      const answer = await refund({ transaction_id });
      expect([answer.status, answer.body.details?.map(({ field }) => field)]).toEqual([
        400,
        ['transaction_id'],
      ]);
    });

    it.each([
      ['0', 'INVALID_AMOUNT'],
      [-1, 'INVALID_AMOUNT'],
      ['1e1', 'INVALID_AMOUNT'],
      ['1.005', 'INVALID_AMOUNT'],
      ['01', 'INVALID_AMOUNT'],
      ['five', 'INVALID_AMOUNT'],
      [true, 'INVALID_AMOUNT'],
      [{}, 'INVALID_AMOUNT'],
      ['25.51', 'REFUND_EXCEEDS_REMAINDER'],
      ['99999999', 'REFUND_EXCEEDS_REMAINDER'],
    ])('rejects the amount %j as %s, and writes nothing', async (amount, code) => {
      const [own, deposit] = await seller();
      expect(reported(await refund({ transaction_id: deposit, amount }, own))).toEqual([400, code]);
      expect(await refundsOf(deposit)).toEqual([]);
      expect(await walletOf(stack, own)).toEqual({ free: 2_550n, reserved: 0n });
    });

    it('reports how much is left to refund', async () => {
      const [own, deposit] = await seller();
      const first = await refund({ transaction_id: deposit, amount: '20.00' }, own);
      const answer = await refund({ transaction_id: deposit, amount: '5.51' }, own);
      expect(answer.body).toMatchObject({
        code: 'REFUND_EXCEEDS_REMAINDER',
        error: 'The amount exceeds what is left to refund: 5.50 ZMW',
      });
      await notifiedOf(own, idOf(first), 'Success');
    });

    it('rejects more than the wallet balance', async () => {
      const [own, deposit] = await seller();
      await transferByHand(stack.db, {
        from: { class: 'wallet', merchantId: own.merchantId, currency: 'ZMW' },
        to: { class: 'bank', currency: 'ZMW' },
        amountMinor: 1_000n,
        reason: 'paid out to the merchant',
        whenShort: 'BALANCE_INSUFFICIENT',
      });
      expect(reported(await refund({ transaction_id: deposit }, own))).toEqual([400, 'BALANCE_INSUFFICIENT']);
      expect(await walletOf(stack, own)).toEqual({ free: 1_550n, reserved: 0n });
    });
  });

  describe('404', () => {
    it("answers the same for another merchant's deposit as for an unknown one", async () => {
      const [, deposit] = await seller();
      const withoutIds = ({ body }: ApiAnswer) => ({
        ...body,
        request_id: '',
        timestamp: '',
        timestamp_utc: '',
      });
      const theirs = await refund({ transaction_id: deposit });
      const none = await refund({ transaction_id: randomUuid() });
      expect([reported(theirs), reported(none)]).toEqual(
        Array.from({ length: 2 }, () => [404, 'PAYMENT_NOT_FOUND']),
      );
      expect(withoutIds(theirs)).toEqual(withoutIds(none));
      expect(await refundsOf(deposit)).toEqual([]);
    });

    it('finds no payout and no refund', async () => {
      const [own, deposit] = await seller();
      await fund(stack, own, 10_000n);
      const payout = await accepted(stack, own, 'payout', transferBody());
      const given = await accepted(stack, own, 'refund', { transaction_id: deposit, amount: '1.00' });
      for (const transaction_id of [payout, given]) {
        expect(reported(await refund({ transaction_id }, own))).toEqual([404, 'PAYMENT_NOT_FOUND']);
      }
      for (const id of [payout, given]) await notifiedOf(own, id, 'Success');
    });
  });

  describe('409', () => {
    it.each([
      ['open', '+260763003129', 'Processing'],
      ['failed', '+260763003049', 'Failed'],
      ['cancelled', '+260763003039', 'Cancelled'],
    ])('rejects a deposit that is %s', async (_what, phone_number, payment_status) => {
      const deposit = await accepted(stack, merchant, 'deposit', transferBody({ phone_number }));
      await shownAs(stack, merchant, deposit, { payment_status });
      expect(reported(await refund({ transaction_id: deposit }))).toEqual([409, 'DEPOSIT_NOT_COMPLETED']);
    });
  });

  describe('503', () => {
    it('while the network accepts no refunds: nothing is reserved', async () => {
      const [own, deposit] = await seller({ phone_number: '+260753000001' });
      const answer = await refund({ transaction_id: deposit }, own);
      expect(reported(answer)).toEqual([503, 'PROVIDER_TEMPORARILY_UNAVAILABLE']);
      expect(await walletOf(stack, own)).toEqual({ free: 2_550n, reserved: 0n });
    });
  });

  it("does not change the deposit's status", async () => {
    const [own, deposit] = await seller();
    const { updated_at: _, ...before } = (await statusOf(stack, own, deposit)).body;
    const id = idOf(await refund({ transaction_id: deposit }, own));
    await notifiedOf(own, id, 'Success');
    expect((await statusOf(stack, own, deposit)).body).toMatchObject(before);
    expect(await getPaymentOrThrow(stack.db, id)).toMatchObject({ parent_id: deposit });
  });
});
