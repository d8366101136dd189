import type { PaymentRow } from '../../../../src/store/tables';
import { expectClean } from '../../../support/expect-clean';
import { caseOpened } from '../../../support/payments/timeline';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { connectEngine, type TestEngine } from '../../../support/workflows/temporal-client';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import {
  acknowledged,
  anotherPrompt,
  atRest,
  notificationHistory,
  creditsOf,
  ended,
  openCasesOf,
} from '../../../support/rails/stk/payments';

const asked = 125_000n;

/** Callbacks with the right content from an unknown sender. The provider's clock only moves by the test. */
describe('an unsigned callback', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  let engine: TestEngine;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 1 });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'stk');
    engine = await connectEngine(stack);
  });
  afterAll(async () => {
    await engine.close();
    await expectClean({ db: stack.db, env: stack.env });
    await stack.stop();
  });

  const { begin, notify, silence, current, inboxOf, checkedAt, statusesOf } = notificationHistory(() => ({
    stack,
    merchant,
    provider,
  }));

  describe('a reported failure', () => {
    const forged = async (payment: PaymentRow) => {
      expect(await notify(payment, { resultCode: 1032 })).toEqual(acknowledged);
      await checkedAt(payment);
    };

    it('ends nothing while the provider says that the prompt is open, and is shown to operators', async () => {
      const payment = await begin('254760004600');
      await forged(payment);
      expect(await current(payment)).toMatchObject({ state: 'pending' });
      expect(await inboxOf(payment)).toMatchObject([
        { state: 'new', reason: 'an unverified event reported a failure; the provider answered: open' },
      ]);
      await provider.decide(payment.provider_reference ?? '', 'pay');
      await ended(stack.db, payment.payment_id, ['succeeded']);
      await atRest(stack.db, payment.payment_id);
      expect(await statusesOf(payment)).toEqual([['Success', undefined]]);
      expect(await openCasesOf(stack.db, payment.payment_id)).toEqual(['contradictory_outcome']);
    });

    it("reaches the merchant within seconds when the provider's answer agrees", async () => {
      const payment = await begin('254760007600');
      await provider.decide(payment.provider_reference ?? '', 'cancel');
      const { finished_at: at, accepted_at: since } = await ended(stack.db, payment.payment_id, [
        'cancelled',
      ]);
      // From the query alone it would have taken a minute and a half.
      expect((at?.getTime() ?? Infinity) - (since?.getTime() ?? 0)).toBeLessThan(60_000);
      await atRest(stack.db, payment.payment_id);
      expect(await inboxOf(payment)).toMatchObject([
        {
          state: 'applied',
          reason: expect.stringMatching(
            /event reported a failure; the provider answered: cancelled 1032/,
          ) as string,
        },
      ]);
    });

    it('that is false cancels no payment that the provider shows as paid', async () => {
      const payment = await begin('254700000706');
      await silence('254700000706');
      // The callback of the success is lost, and the next one contradicts it.
      await provider.advance(4_000);
      await ended(stack.db, payment.payment_id, ['succeeded']);
      await atRest(stack.db, payment.payment_id);
      expect(await openCasesOf(stack.db, payment.payment_id)).toEqual(['contradictory_outcome']);
      expect(await creditsOf(stack.db, payment.payment_id)).toEqual([asked]);
      expect(await statusesOf(payment)).toEqual([['Success', undefined]]);
    });
  });

  describe('an amount above the requested one', () => {
    const more = { amount: 150_000, receipt: 'FORGED0001' };

    it("is not credited when the provider's query says that it was paid: the query has no amount", async () => {
      const payment = await begin('254763000011');
      await silence('254763000011');
      await provider.advance(4_000);
      expect(await notify(payment, more)).toEqual(acknowledged);
      await ended(stack.db, payment.payment_id, ['succeeded']);
      await atRest(stack.db, payment.payment_id);
      expect(await creditsOf(stack.db, payment.payment_id)).toEqual([asked]);
      expect(await openCasesOf(stack.db, payment.payment_id)).toEqual(['amount_differs']);
      const reason = 'it reports more than the requested amount, without proof';
      expect(await inboxOf(payment)).toMatchObject([{ state: 'ignored', reason }]);
      // The authentic one still brings its receipt.
      await notify(payment, { receipt: 'UA55TRUE01' });
      await atRest(stack.db, payment.payment_id);
      expect(await current(payment)).toMatchObject({
        provider_receipt: 'UA55TRUE01',
        confirmed_minor: asked.toString(),
        details: { amount_named_by: 'callback' },
      });
    });

    it('reported after the booking adds nothing to it', async () => {
      const payment = await begin('254763000012');
      await silence('254763000012');
      await provider.advance(4_000);
      await engine.advance(payment, 20_000);
      await ended(stack.db, payment.payment_id, ['succeeded']);
      await notify(payment, more);
      expect(await caseOpened(stack.db, payment.payment_id)).toEqual(['amount_differs']);
      expect(await current(payment)).toMatchObject({ provider_receipt: null });
      expect(await creditsOf(stack.db, payment.payment_id)).toEqual([asked]);
    });
  });

  describe('a reported success', () => {
    it("that the provider's queries deny keeps no payment open, and opens a case", async () => {
      const payment = await begin('254760009600');
      await silence('254760009600');
      await provider.decide(payment.provider_reference ?? '', 'cancel');
      expect(await notify(payment)).toEqual(acknowledged);
      await checkedAt(payment);
      expect(await current(payment)).toMatchObject({ state: 'pending' });
      expect(await openCasesOf(stack.db, payment.payment_id)).toEqual(['success_not_confirmed']);

      // Ten minutes pass for the report, whose age is wall-clock time, and for the provider's answer about it.
      const { payment_id: id } = payment;
      const tenMinutesAgo = new Date(Date.now() - 600_000);
      await stack.db('inbox').where({ payment_id: id }).update({ received_at: tenMinutesAgo });
      await stack.db('payments').where({ payment_id: id }).update({ clock_ahead_ms: '600000' });
      await engine.advance(payment, 301_000);
      expect(await ended(stack.db, payment.payment_id)).toMatchObject({
        state: 'cancelled',
        result_code: '1032',
        confirmed_minor: null,
      });
      await atRest(stack.db, payment.payment_id);
      expect(await inboxOf(payment)).toMatchObject([
        {
          state: 'ignored',
          reason: expect.stringMatching(
            /event reported succeeded; the provider answered: cancelled 1032/,
          ) as string,
        },
      ]);
      expect(await openCasesOf(stack.db, payment.payment_id)).toEqual(['success_not_confirmed']);
      expect(await creditsOf(stack.db, payment.payment_id)).toEqual([]);

      // It was paid after all: the late report corrects it.
      await provider.decide(payment.provider_reference ?? '', 'pay_late');
      await ended(stack.db, payment.payment_id, ['succeeded']);
      await atRest(stack.db, payment.payment_id);
      expect(await creditsOf(stack.db, payment.payment_id)).toEqual([asked]);
      expect(await statusesOf(payment)).toEqual([
        ['Cancelled', undefined],
        ['Success', true],
      ]);
    });
  });

  describe('when the answer to our submission was lost', () => {
    /** The provider has the prompt, and its answer with the CheckoutRequestID never arrived. */
    async function lost(phone_number: string): Promise<PaymentRow> {
      await provider.next({ call: 'initiate', behave: 'act_then_500', where: { phone_number } });
      const payment = await begin(phone_number);
      expect(payment).toMatchObject({ state: 'pending', provider_reference: null });
      return payment;
    }
    /** More than one review queries. */
    const wrong = Array.from({ length: 7 }, (_, i) => `ws_CO_01012026000000000${String(i)}712345678`);

    it.each([
      ['successes', '254763000001', 0],
      ['failures', '254763000002', 1032],
    ])('forged %s with other prompts do not hide the right one', async (_what, phone, resultCode) => {
      const payment = await lost(phone);
      for (const checkoutRequestId of wrong) {
        const receipt = `FORGED${checkoutRequestId.slice(-14, -10)}`;
        expect(await notify(payment, { checkoutRequestId, resultCode, receipt })).toEqual(acknowledged);
      }
      await checkedAt(payment);
      expect(await current(payment)).toMatchObject({ state: 'pending', provider_reference: null });
      await provider.advance(3_000);
      const { provider_reference: reference } = await ended(stack.db, payment.payment_id, ['succeeded']);
      await atRest(stack.db, payment.payment_id);
      expect(wrong).not.toContain(reference);
      expect((await current(payment)).provider_receipt).not.toMatch(/^FORGED/);
      expect(await creditsOf(stack.db, payment.payment_id)).toEqual([asked]);
      expect(await statusesOf(payment)).toEqual([['Success', undefined]]);
    });

    it('a failure with another prompt ends nothing, and is left to the deadline', async () => {
      const payment = await lost('254763000003');
      await silence('254763000003');
      await notify(payment, { checkoutRequestId: anotherPrompt, resultCode: 1 });
      await checkedAt(payment);
      expect(await current(payment)).toMatchObject({ state: 'pending', provider_reference: null });
      await engine.advance(payment, 181_000);
      expect(await ended(stack.db, payment.payment_id)).toMatchObject({
        state: 'timed_out',
        provider_reference: null,
      });
      expect(await openCasesOf(stack.db, payment.payment_id)).toEqual(['submission_unknown']);
      await provider.advance(3_000);
      const [{ CheckoutRequestID: checkoutRequestId } = {}] = (await provider.exchanges('callback'))
        .filter(({ url }) => url.endsWith(payment.callback_token ?? ''))
        .map(({ body }) => (body as { Body: { stkCallback: Record<string, string> } }).Body.stkCallback);
      await notify(payment, { checkoutRequestId: checkoutRequestId ?? '' });
      await ended(stack.db, payment.payment_id, ['succeeded']);
      expect(await openCasesOf(stack.db, payment.payment_id)).toEqual([]);
    });
  });
});
