import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import type { PaymentRow } from '../../../../src/store/tables';
import { expectClean } from '../../../support/expect-clean';
import { call } from '../../../support/merchant-client';
import { caseOpened as caseOpenedOf } from '../../../support/payments/timeline';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { connectEngine, type TestEngine } from '../../../support/workflows/temporal-client';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import {
  acknowledged,
  anotherPrompt,
  atRest,
  callbackBody,
  notificationHistory,
  creditsOf,
  ended,
  notify,
  push,
} from '../../../support/rails/stk/payments';

const asked = 125_000n;
const rejected = (status: number) => ({ status, body: { ResultCode: 1, ResultDesc: 'Rejected' } });

/** The provider's clock only moves by the test, and unsigned callbacks may come from any caller. */
describe('POST /in/stk/<token>', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  let engine: TestEngine;
  beforeAll(async () => {
    stack = await startStack({
      timeScale: 1,
      env: { STK_CALLBACK_ADDRESSES: '127.0.0.1, 196.201.214.0/24', MALIPO_TRUSTED_PROXIES: '127.0.0.1' },
    });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'stk');
    engine = await connectEngine(stack);
  });
  afterAll(async () => {
    await engine.close();
    await expectClean({ db: stack.db, env: stack.env });
    await stack.stop();
  });

  const {
    begin,
    notify: report,
    silence,
    current,
    inboxOf,
    checkedAt,
    statusesOf,
  } = notificationHistory(() => ({
    stack,
    merchant,
    provider,
  }));
  const caseOpened = ({ payment_id: id }: PaymentRow) => caseOpenedOf(stack.db, id);

  describe('rejects without any effect', () => {
    let payment: PaymentRow;
    beforeAll(async () => (payment = await begin('254760000600')));
    afterEach(async () => {
      expect(await inboxOf(payment)).toEqual([]);
      expect(await current(payment)).toMatchObject({ state: 'pending', confirmed_minor: null });
    });

    it.each(['0'.repeat(32), 'F'.repeat(32), '0'.repeat(31), '1', '%00', "'%20OR%20'1'='1"])(
      'the token %s',
      async (token) => {
        expect(await notify(stack, payment, callbackBody(payment), { token })).toEqual(rejected(404));
      },
    );

    it("another CheckoutRequestID than the payment's", async () => {
      expect(await report(payment, { checkoutRequestId: anotherPrompt })).toEqual(rejected(400));
    });

    it.each([{}, [], 'paid', { Body: {} }, { Body: { stkCallback: { ResultCode: 0 } } }])(
      'the body %j',
      async (body) => {
        expect(await notify(stack, payment, body)).toEqual(rejected(400));
      },
    );

    it("an address that is not the provider's", async () => {
      const headers = { 'X-Forwarded-For': '203.0.113.9' };
      expect(await notify(stack, payment, callbackBody(payment), { headers })).toEqual(rejected(403));
      const forged = { 'X-Forwarded-For': '196.201.214.200, 203.0.113.9' };
      expect(await notify(stack, payment, callbackBody(payment), { headers: forged })).toEqual(rejected(403));
    });
  });

  it("accepts one from the provider's address, in the provider's format", async () => {
    const payment = await begin('254760001600');
    await silence('254760001600');
    await provider.decide(payment.provider_reference ?? '', 'cancel');
    const headers = { 'X-Forwarded-For': '196.201.214.200' };
    expect(await notify(stack, payment, callbackBody(payment, { resultCode: 1032 }), { headers })).toEqual(
      acknowledged,
    );
    expect(await ended(stack.db, payment.payment_id)).toMatchObject({ state: 'cancelled' });
  });

  it('stores a repeat once, and acknowledges it', async () => {
    const payment = await begin('254760002600');
    await silence('254760002600');
    await provider.decide(payment.provider_reference ?? '', 'cancel');
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => report(payment, { resultCode: 1032 })),
    );
    expect(answers).toEqual(Array.from({ length: 10 }, () => acknowledged));
    expect(await inboxOf(payment)).toHaveLength(1);
    await ended(stack.db, payment.payment_id);
    expect(await statusesOf(payment)).toEqual([['Cancelled', undefined]]);
  });

  describe('a reported success', () => {
    it('is not trusted while the provider says that the prompt is open', async () => {
      const payment = await begin('254761000600');
      expect(await report(payment)).toEqual(acknowledged);
      await checkedAt(payment);
      expect(await current(payment)).toMatchObject({ state: 'pending' });
      expect(await creditsOf(stack.db, payment.payment_id)).toEqual([]);

      await provider.decide(payment.provider_reference ?? '', 'pay');
      await ended(stack.db, payment.payment_id, ['succeeded']);
      await atRest(stack.db, payment.payment_id);
      expect(await creditsOf(stack.db, payment.payment_id)).toEqual([asked]);
      expect(await statusesOf(payment)).toEqual([['Success', undefined]]);
    });

    it('that the provider denies opens a case, and is not credited until the provider agrees', async () => {
      const payment = await begin('254700000704');
      await silence('254700000704');
      await provider.advance(61_000);
      await report(payment);
      expect(await caseOpened(payment)).toEqual(['success_not_confirmed']);
      expect(await creditsOf(stack.db, payment.payment_id)).toEqual([]);
      expect(await statusesOf(payment)).toEqual([]);

      await provider.advance(60_000);
      await ended(stack.db, payment.payment_id, ['succeeded']);
      expect(await creditsOf(stack.db, payment.payment_id)).toEqual([asked]);
      expect(await statusesOf(payment)).toEqual([['Success', undefined]]);
    });

    it('about another prompt, which came before our own id was known, says nothing about this payment', async () => {
      const phone_number = '254760003600';
      await provider.next({ call: 'initiate', behave: 'delay', ms: 3_000, where: { phone_number } });
      const answer = push(stack, merchant, { phone_number });
      const payment = await waitFor(
        () => stack.db('payments').where({ phone_number, state: 'initiating' }).first(),
        {
          what: 'the prompt to be sent',
          timeoutMs: 10_000,
        },
      );
      const forged = { checkoutRequestId: anotherPrompt, amount: 150_000, receipt: 'FORGED0000' };
      expect(await report(payment, forged)).toEqual(acknowledged);
      expect((await answer).status).toBe(200);
      await provider.decide((await current(payment)).provider_reference ?? '', 'pay');
      await ended(stack.db, payment.payment_id, ['succeeded']);
      await atRest(stack.db, payment.payment_id);
      expect(await creditsOf(stack.db, payment.payment_id)).toEqual([asked]);
      expect((await current(payment)).provider_receipt).not.toBe('FORGED0000');
      expect((await inboxOf(payment)).map(({ state }) => state).sort()).toEqual(['applied', 'ignored']);
    });

    it("with another payment's prompt, after our own answer was lost, opens a case and is not credited", async () => {
      const paid = await begin('254760000001');
      const lost = await begin('254700000708');
      await provider.advance(3_000);
      await ended(stack.db, paid.payment_id, ['succeeded']);
      await report(lost, { checkoutRequestId: paid.provider_reference ?? '' });
      expect(await caseOpened(lost)).toEqual(['reference_reused']);
      expect(await current(lost)).toMatchObject({ state: 'pending', provider_reference: null });
      expect(await creditsOf(stack.db, lost.payment_id)).toEqual([]);
    });

    it("with another payment's receipt opens a case", async () => {
      const [first, second] = [await begin('254760000002'), await begin('254760000003')];
      await silence('254760000003');
      await provider.advance(3_000);
      const { provider_receipt: receipt } = await ended(stack.db, first.payment_id, ['succeeded']);
      await report(second, { receipt: receipt ?? '' });
      expect(await caseOpened(second)).toEqual(['receipt_reused']);
      expect(await creditsOf(stack.db, second.payment_id)).toEqual([]);
    });

    it('corrects an earlier cancellation, even after the workflow had ended', async () => {
      const payment = await begin('254761001600');
      await provider.decide(payment.provider_reference ?? '', 'cancel');
      await ended(stack.db, payment.payment_id, ['cancelled']);
      await engine.client.workflow.getHandle(payment.workflow_id).result();

      await provider.decide(payment.provider_reference ?? '', 'pay_late');
      await ended(stack.db, payment.payment_id, ['succeeded']);
      await atRest(stack.db, payment.payment_id);
      expect(await statusesOf(payment)).toEqual([
        ['Cancelled', undefined],
        ['Success', true],
      ]);
      expect(await creditsOf(stack.db, payment.payment_id)).toEqual([asked]);
    });
  });

  describe('after a success that only the query reported', () => {
    /** Paid, its callback lost, found by a status check, its workflow ended. */
    async function paidInSilence(phone: string): Promise<PaymentRow> {
      const payment = await begin(phone);
      await silence(phone);
      await provider.advance(4_000);
      await engine.advance(payment, 20_000);
      await ended(stack.db, payment.payment_id, ['succeeded']);
      await engine.client.workflow.getHandle(payment.workflow_id).result();
      return payment;
    }

    it('a late callback adds the receipt and the payer, but neither money nor a second webhook', async () => {
      const payment = await paidInSilence('254762000001');
      expect(await current(payment)).toMatchObject({
        provider_receipt: null,
        details: { amount_named_by: 'nobody' },
      });
      const [step] = await stack
        .db('payment_log')
        .where({ payment_id: payment.payment_id, to_state: 'succeeded' });
      expect(step?.evidence).toMatch(/; no source reported the amount: booked as requested$/);
      expect(await report(payment, { receipt: 'UA55LATE01' })).toEqual(acknowledged);
      await atRest(stack.db, payment.payment_id);
      const { body } = await call(
        stack,
        merchant,
        'GET',
        `/api/v1/stk_push/status?payment_id=${payment.payment_id}`,
      );
      expect((await current(payment)).details['amount_named_by']).toBe('callback');
      expect(body.data).toMatchObject({
        status: 'Success',
        mm_receipt_number: 'UA55LATE01',
        transaction_date: '20260105120042',
        payer_phone: '254762000001',
      });
      expect(await creditsOf(stack.db, payment.payment_id)).toEqual([asked]);
      expect(await statusesOf(payment)).toEqual([['Success', undefined]]);
    });

    it('a late callback with another amount opens a case, and the booking stays', async () => {
      const payment = await paidInSilence('254762000002');
      await report(payment, { amount: 1249, receipt: 'UA55LATE02' });
      expect(await caseOpened(payment)).toEqual(['amount_differs']);
      expect(await creditsOf(stack.db, payment.payment_id)).toEqual([asked]);
    });

    it('a callback with a receipt other than the known one opens a case, and the known one stays', async () => {
      const payment = await paidInSilence('254762000004');
      await report(payment, { receipt: 'UA55LATE04' });
      await report(payment, { receipt: 'UA55OTHER4' });
      expect(await caseOpened(payment)).toEqual(['receipt_differs']);
      expect((await current(payment)).provider_receipt).toBe('UA55LATE04');
      expect(await creditsOf(stack.db, payment.payment_id)).toEqual([asked]);
    });

    it('a late failure opens a case, and the success stays', async () => {
      const payment = await paidInSilence('254762000003');
      await report(payment, { resultCode: 1032 });
      expect(await caseOpened(payment)).toEqual(['contradictory_outcome']);
      expect(await current(payment)).toMatchObject({ state: 'succeeded' });
      expect(await statusesOf(payment)).toEqual([['Success', undefined]]);
    });
  });

  it.each([
    [34, '254760005600'],
    [4999, '254760006600'],
  ])('code %d means that it is still open, and changes nothing', async (resultCode, phone) => {
    const payment = await begin(phone);
    await report(payment, { resultCode });
    await atRest(stack.db, payment.payment_id);
    expect(await inboxOf(payment)).toMatchObject([{ state: 'ignored', reason: 'reports open' }]);
    expect(await current(payment)).toMatchObject({ state: 'pending' });
  });
});
