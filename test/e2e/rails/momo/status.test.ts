import { v4 as randomUuid } from 'uuid';
import { expectClean } from '../../../support/expect-clean';
import { call, type ApiAnswer } from '../../../support/merchant-client';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { verifySignature } from '../../../support/webhook-receiver';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { atRest } from '../../../support/payments/timeline';
import {
  accepted,
  callbacksOf,
  fund,
  isoUtc,
  paidDeposit,
  places,
  setNetwork,
  shownAs,
  statusOf,
  notifiedOf,
  transferBody,
} from '../../../support/rails/momo/payments';

const path = '/api/v1/momo/status';

describe('GET /api/v1/momo/status', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let other: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 20 });
    [merchant, other] = await Promise.all([stack.createMerchant(), stack.createMerchant()]);
    provider = simulatorControl(stack.simulatorUrl, 'momo');
    await setNetwork(provider, 'AIRTEL_OAPI_ZMB', 'PAYOUT', 'DELAYED');
    await fund(stack, merchant, 100_000_000n);
  });
  afterAll(async () => {
    await expectClean({ db: stack.db, env: stack.env });
    await stack.stop();
  });

  const ask = (id: string, as: TestMerchant | undefined = merchant) => statusOf(stack, as, id);
  const begin = (kind: 'deposit' | 'payout', phone_number: string, changes: Record<string, unknown> = {}) =>
    accepted(stack, merchant, kind, transferBody({ phone_number, ...changes }));

  describe('200', () => {
    const times = {
      created_at: expect.stringMatching(isoUtc) as string,
      updated_at: expect.stringMatching(isoUtc) as string,
    };
    const zambian = { country: 'ZMB', currency: 'ZMW', requested_amount: '25.50' };
    const noFailure = { failure_code: null, failure_message: null };

    it('shows a deposit in progress: nothing is decided and nothing is paid', async () => {
      const id = await begin('deposit', '+260763000129', { account_reference: 'OPEN-1' });
      const answer = await shownAs(stack, merchant, id, { status: 'PROCESSING' });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        success: true,
        transaction_id: id,
        type: 'deposit',
        status: 'PROCESSING',
        is_final: false,
        payment_status: 'Processing',
        provider: 'MTN_MOMO_ZMB',
        ...zambian,
        amount: '0.00',
        provider_transaction_id: '',
        account_reference: 'OPEN-1',
        ...noFailure,
        next_step: expect.objectContaining({ code: 'wait' }),
        sequence: expect.any(Number) as number,
        ...times,
      });
    });

    it('shows a paid deposit with the confirmed amount and the reference of the network', async () => {
      const id = await paidDeposit(stack, merchant, { account_reference: 'PAID-1' });
      expect((await ask(id)).body).toEqual({
        success: true,
        transaction_id: id,
        type: 'deposit',
        status: 'COMPLETED',
        is_final: true,
        payment_status: 'Success',
        provider: 'MTN_MOMO_ZMB',
        ...zambian,
        amount: '25.50',
        provider_transaction_id: expect.stringMatching(/^\d+$/),
        account_reference: 'PAID-1',
        ...noFailure,
        next_step: expect.objectContaining({ code: 'paid' }),
        sequence: expect.any(Number) as number,
        ...times,
      });
    });

    it('shows a queued payout as cancellable', async () => {
      const id = await begin('payout', '+260773000001', { account_reference: 'QUEUED-1' });
      expect((await ask(id)).body).toEqual({
        success: true,
        transaction_id: id,
        type: 'payout',
        status: 'ENQUEUED',
        is_final: false,
        payment_status: 'Processing',
        provider: 'AIRTEL_OAPI_ZMB',
        ...zambian,
        amount: '0.00',
        provider_transaction_id: '',
        account_reference: 'QUEUED-1',
        ...noFailure,
        cancellable: true,
        next_step: expect.objectContaining({ code: 'money_waits' }),
        sequence: expect.any(Number) as number,
        ...times,
      });
    });

    it('shows a refund with its deposit', async () => {
      const deposit = await paidDeposit(stack, merchant, { account_reference: 'SOLD-1' });
      const body = { transaction_id: deposit, amount: '5.00' };
      const id = await accepted(stack, merchant, 'refund', body);
      await notifiedOf(merchant, id, 'Success');
      expect((await ask(id)).body).toEqual({
        success: true,
        transaction_id: id,
        type: 'refund',
        status: 'COMPLETED',
        is_final: true,
        payment_status: 'Success',
        provider: 'MTN_MOMO_ZMB',
        ...zambian,
        requested_amount: '5.00',
        amount: '5.00',
        provider_transaction_id: expect.stringMatching(/^\d+$/),
        account_reference: 'SOLD-1',
        ...noFailure,
        deposit_transaction_id: deposit,
        next_step: expect.objectContaining({ code: 'refund_done' }),
        sequence: expect.any(Number) as number,
        ...times,
      });
    });

    it("shows the customer's page while the customer is needed", async () => {
      const id = await accepted(
        stack,
        merchant,
        'deposit',
        transferBody({ ...places.senegal, provider: 'WAVE_SEN' }),
      );
      const page = `${stack.providerUrls.momo}/authorise/${id}`;
      expect((await ask(id)).body).toMatchObject({ redirect_url: page, is_final: false });
      await provider.notify(`authorisations/${id}`, { action: 'pay' });
      await notifiedOf(merchant, id, 'Success');
      expect((await ask(id)).body).not.toHaveProperty('redirect_url');
    });

    it.each([
      ['deposit', '+260763000789', 'COMPLETED', 'Success', null],
      ['deposit', '+260763000049', 'FAILED', 'Failed', 'INSUFFICIENT_BALANCE'],
      ['deposit', '+260763000019', 'FAILED', 'Failed', 'PAYER_LIMIT_REACHED'],
      ['deposit', '+260763000029', 'FAILED', 'Failed', 'PAYER_NOT_FOUND'],
      ['deposit', '+260763000059', 'FAILED', 'Failed', 'PAYMENT_IN_PROGRESS'],
      ['deposit', '+260763000069', 'FAILED', 'Failed', 'UNSPECIFIED_FAILURE'],
      ['deposit', '+260763000039', 'CANCELLED', 'Cancelled', null],
      ['payout', '+260763000789', 'COMPLETED', 'Success', null],
      ['payout', '+260763000089', 'FAILED', 'Failed', 'RECIPIENT_NOT_FOUND'],
      ['payout', '+260763000099', 'FAILED', 'Failed', 'WALLET_LIMIT_REACHED'],
      ['payout', '+260763000109', 'FAILED', 'Failed', 'RECIPIENT_LIMIT_REACHED'],
      ['payout', '+260763000744', 'FAILED', 'Failed', 'INSUFFICIENT_FLOAT'],
    ] as const)(
      'a %s to %s ends as %s, with the same content as the callback',
      async (kind, phone, status, word, code) => {
        const id = await begin(kind, phone);
        const callback = await notifiedOf(merchant, id, word);
        const { body } = await ask(id);
        expect(body).toMatchObject({ status, is_final: true, payment_status: word, failure_code: code });
        expect(typeof body['failure_message']).toBe(code === null ? 'object' : 'string');
        const { status: reported, phone_number: to, ...others } = callback.body;
        // A status has neither a sending time nor a kind of webhook.
        const isOfWebhook = /^(?:timestamp|event_type|callback_type)$/;
        const shared = Object.fromEntries(Object.entries(others).filter(([name]) => !isOfWebhook.test(name)));
        expect(body).toMatchObject(shared);
        expect([reported, to]).toEqual([word, phone]);
        verifySignature(callback, merchant.webhookSecret);
        await atRest(stack.db, id);
        expect(callbacksOf(merchant, id)).toHaveLength(1);
      },
    );

    it('changes nothing and triggers nothing, however often it is called', async () => {
      const id = await paidDeposit(stack, merchant);
      await atRest(stack.db, id);
      const asked = (await provider.exchanges('status')).length;
      const [first, ...others] = await Promise.all(Array.from({ length: 10 }, () => ask(id)));
      for (const answer of others) expect(answer.body).toEqual(first?.body);
      const about = (await provider.exchanges('status')).slice(asked).filter(({ url }) => url.includes(id));
      expect(about).toEqual([]);
    });
  });

  describe('400', () => {
    it.each([
      ['without transaction_id', path],
      ['with an empty one', `${path}?transaction_id=`],
      ['with one that is too long', `${path}?transaction_id=${'a'.repeat(37)}`],
    ])('%s', async (_what, url) => {
      const answer = await call(stack, merchant, 'GET', url);
      expect([answer.status, answer.body.details?.[0]?.field]).toEqual([400, 'transaction_id']);
    });

    it('with a repeated transaction_id, even the same', async () => {
      const id = randomUuid();
      const answer = await call(stack, merchant, 'GET', `${path}?transaction_id=${id}&transaction_id=${id}`);
      expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_QUERY']);
    });
  });

  describe('404', () => {
    const withoutIds = ({ body }: ApiAnswer) => ({
      ...body,
      request_id: '',
      timestamp: '',
      timestamp_utc: '',
    });

    it("answers exactly the same for another merchant's transaction as for an unknown one", async () => {
      const id = await begin('deposit', '+260763000129');
      const [theirs, none] = [await ask(id, other), await ask(randomUuid(), other)];
      expect([theirs.status, none.status]).toEqual([404, 404]);
      expect(withoutIds(theirs)).toEqual(withoutIds(none));
      expect(theirs.body).toMatchObject({ success: false, code: 'PAYMENT_NOT_FOUND' });
    });

    it.each(['1', 'null', 'ñandú', '💸', "' OR '1'='1", '../../etc/passwd', '%', '0'.repeat(36)])(
      'answers the same to %j, which is not an id',
      async (id) => {
        expect(withoutIds(await ask(id))).toEqual(withoutIds(await ask(randomUuid())));
      },
    );

    it('does not find a payment of another rail', async () => {
      const push = await call(stack, merchant, 'POST', '/api/v1/stk_push', {
        phone_number: '254708374149',
        amount: 1250,
        account_reference: 'INV-1',
        transaction_desc: 'Invoice',
      });
      expect((await ask(String(push.body.data?.payment_id))).status).toBe(404);
    });
  });
});
