import { waitFor } from '../../../src/ops/services/wait-for';
import { getPaymentOrThrow } from '../../../src/payments/payments';
import type { PaymentRow } from '../../../src/store/tables';
import { expectClean } from '../../support/expect-clean';
import { startStack, type Stack, type TestMerchant } from '../../support/stack';
import { connectEngine, type TestEngine } from '../../workflows/temporal-client';
import { simulatorControl, type SimulatorControl } from '../simulator-control';
import {
  accepted,
  atRest,
  callbackBody,
  creditsOf,
  ended,
  notify,
  openCasesOf,
  webhooksOf,
  type CallbackChanges,
} from './payment-story';

const asked = 125_000n;
const anotherPrompt = 'ws_CO_010120260000000000000712345678';
const acknowledged = { status: 200, body: { ResultCode: 0, ResultDesc: 'Accepted' } };

/** Callbacks that are right in every part but one: who has sent them. The provider's clock stands still. */
describe('what an unsigned callback reports', () => {
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

  const begin = (phone_number: string) => accepted(stack, merchant, { phone_number });
  const tell = (payment: PaymentRow, changes: CallbackChanges = {}) =>
    notify(stack, payment, callbackBody(payment, changes));
  const current = ({ payment_id: paymentId }: PaymentRow) => getPaymentOrThrow(stack.db, paymentId);
  const inboxOf = ({ payment_id: paymentId }: PaymentRow) =>
    stack
      .db('inbox')
      .where({ payment_id: paymentId })
      .orderBy('inbox_id')
      .select('state', 'reason', 'processed_at');
  const statusesOf = async ({ payment_id: paymentId }: PaymentRow) =>
    (await webhooksOf(stack.db, paymentId)).map(({ status, correction }) => [status, correction]);
  const silence = (phone: string) =>
    provider.next({ call: 'callback', behave: 'drop', where: { phone_number: phone } });
  const lookedAt = (payment: PaymentRow) =>
    waitFor(async () => (await inboxOf(payment)).every(({ processed_at: at }) => at !== null), {
      what: 'the report to be looked at',
      timeoutMs: 20_000,
    });

  describe('a reported failure', () => {
    const forged = async (payment: PaymentRow) => {
      expect(await tell(payment, { resultCode: 1032 })).toEqual(acknowledged);
      await lookedAt(payment);
    };

    it('ends nothing while the provider says that the prompt is open, and is shown to operators', async () => {
      const payment = await begin('254760004600');
      await forged(payment);
      expect(await current(payment)).toMatchObject({ state: 'pending' });
      expect(await inboxOf(payment)).toMatchObject([
        { state: 'new', reason: 'a failure was reported without proof; asked, the provider says open' },
      ]);
      await provider.decide(payment.provider_reference ?? '', 'pay');
      await ended(stack.db, payment.payment_id, ['succeeded']);
      await atRest(stack.db, payment.payment_id);
      expect(await statusesOf(payment)).toEqual([['Success', undefined]]);
      expect(await openCasesOf(stack.db, payment.payment_id)).toEqual(['contradictory_outcome']);
    });

    it('reaches the merchant within seconds when the provider, asked, agrees', async () => {
      const payment = await begin('254760007600');
      await provider.decide(payment.provider_reference ?? '', 'cancel');
      const { finished_at: at, accepted_at: since } = await ended(stack.db, payment.payment_id, [
        'cancelled',
      ]);
      // Told by the query alone it would have waited for a minute and a half.
      expect((at?.getTime() ?? Infinity) - (since?.getTime() ?? 0)).toBeLessThan(60_000);
      await atRest(stack.db, payment.payment_id);
      expect(await inboxOf(payment)).toMatchObject([
        {
          state: 'applied',
          reason: expect.stringMatching(/without proof; asked, the provider says cancelled 1032/) as string,
        },
      ]);
    });

    it('of which the provider knows nothing cancels no payment that it shows as paid', async () => {
      const payment = await begin('254700000706');
      await silence('254700000706');
      // The callback of the success is lost, and the one that follows it contradicts it.
      await provider.advance(4_000);
      await ended(stack.db, payment.payment_id, ['succeeded']);
      await atRest(stack.db, payment.payment_id);
      expect(await openCasesOf(stack.db, payment.payment_id)).toEqual(['contradictory_outcome']);
      expect(await creditsOf(stack.db, payment.payment_id)).toEqual([asked]);
      expect(await statusesOf(payment)).toEqual([['Success', undefined]]);
    });
  });

  describe('where our own acceptance was lost', () => {
    /** The provider has the prompt, and its answer with the CheckoutRequestID never came. */
    async function lost(phone_number: string): Promise<PaymentRow> {
      await provider.next({ call: 'initiate', behave: 'act_then_500', where: { phone_number } });
      const payment = await begin(phone_number);
      expect(payment).toMatchObject({ state: 'pending', provider_reference: null });
      return payment;
    }
    /** More than are asked about in one look. */
    const wrong = Array.from({ length: 7 }, (_, i) => `ws_CO_01012026000000000${String(i)}712345678`);

    it.each([
      ['successes', '254763000001', 0],
      ['failures', '254763000002', 1032],
    ])('forged %s that name other prompts do not hide the right one', async (_what, phone, resultCode) => {
      const payment = await lost(phone);
      for (const checkoutRequestId of wrong) {
        const receipt = `FORGED${checkoutRequestId.slice(-14, -10)}`;
        expect(await tell(payment, { checkoutRequestId, resultCode, receipt })).toEqual(acknowledged);
      }
      await lookedAt(payment);
      expect(await current(payment)).toMatchObject({ state: 'pending', provider_reference: null });
      await provider.advance(3_000);
      const { provider_reference: reference } = await ended(stack.db, payment.payment_id, ['succeeded']);
      await atRest(stack.db, payment.payment_id);
      expect(wrong).not.toContain(reference);
      expect((await current(payment)).provider_receipt).not.toMatch(/^FORGED/);
      expect(await creditsOf(stack.db, payment.payment_id)).toEqual([asked]);
      expect(await statusesOf(payment)).toEqual([['Success', undefined]]);
    });

    it('a failure that names another prompt ends nothing, and is left to the deadline', async () => {
      const payment = await lost('254763000003');
      await silence('254763000003');
      await tell(payment, { checkoutRequestId: anotherPrompt, resultCode: 1 });
      await lookedAt(payment);
      expect(await current(payment)).toMatchObject({ state: 'pending', provider_reference: null });
      await engine.advance(payment, 181_000);
      expect(await ended(stack.db, payment.payment_id)).toMatchObject({
        state: 'timed_out',
        provider_reference: null,
      });
      expect(await openCasesOf(stack.db, payment.payment_id)).toEqual(['instruction_unknown']);
      await provider.advance(3_000);
      const [{ CheckoutRequestID: checkoutRequestId } = {}] = (await provider.exchanges('callback'))
        .filter(({ url }) => url.endsWith(payment.callback_token ?? ''))
        .map(({ body }) => (body as { Body: { stkCallback: Record<string, string> } }).Body.stkCallback);
      await tell(payment, { checkoutRequestId: checkoutRequestId ?? '' });
      await ended(stack.db, payment.payment_id, ['succeeded']);
      expect(await openCasesOf(stack.db, payment.payment_id)).toEqual([]);
    });
  });
});
