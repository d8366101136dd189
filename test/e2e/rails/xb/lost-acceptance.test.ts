import { expectClean } from '../../../support/expect-clean';
import { atRest, webhooksOf } from '../../../support/payment-story';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { notificationStory, payerMs, paymentOf, push } from '../../../support/rails/xb/payment-story';

/** Payers take a minute, so the provider's side only moves when a test moves its clock. */
describe('a cross-border push whose acceptance was lost', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 1, env: { MALIPO_SIMULATOR_XB_DELAY_MS: String(payerMs) } });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'xb');
  });
  afterAll(async () => {
    await expectClean({ db: stack.db, env: stack.env });
    await stack.stop();
  });

  const { silence, tell, decide, current, inboxOf, lookedAt, told, credits, becomes } = notificationStory(
    () => ({
      stack,
      provider,
    }),
  );
  /** The provider does not say what it has under our name. */
  const notListed = (phone_number: string) =>
    provider.next({ call: 'lookup', behave: '503', times: 9, where: { phone_number } });

  it('a payment whose acceptance was lost keeps the invoice_id its merchant was given', async () => {
    const phone_number = '256704000011';
    await provider.next({ call: 'initiate', behave: 'act_then_drop', where: { phone_number } });
    await silence(phone_number, 1);
    await notListed(phone_number);
    const answer = await push(stack, merchant, { phone_number, api_ref: null });
    const payment = await paymentOf(stack.db, answer);
    expect(payment).toMatchObject({ state: 'pending', provider_reference: null });
    await provider.advance(payerMs);
    const { provider_reference: theirs } = await becomes(payment, 'succeeded');
    await atRest(stack.db, payment.payment_id);
    expect(theirs).not.toBe(answer.body.data?.invoice_id);
    for (const body of await webhooksOf(stack.db, payment.payment_id)) {
      expect(body).toMatchObject({
        invoice: answer.body.data && { invoice_id: answer.body.data.invoice_id },
      });
    }
  });

  it.each(['COMPLETE', 'FAILED', 'PROCESSING'])(
    'where the acceptance was lost, a forged %s that names another invoice is not adopted',
    async (state) => {
      const phone_number = `2567040002${String(state.length).padStart(2, '0')}`;
      await provider.next({ call: 'initiate', behave: 'act_then_500', where: { phone_number } });
      await notListed(phone_number);
      const payment = await paymentOf(stack.db, await push(stack, merchant, { phone_number }));
      await tell(payment, { invoice_id: 'FORGED7', state });
      await lookedAt(payment);
      expect((await current(payment)).provider_reference).not.toBe('FORGED7');
      expect(await current(payment)).toMatchObject({ is_final: 0 });
      await provider.advance(payerMs);
      const { provider_reference: theirs } = await becomes(payment, 'succeeded');
      await atRest(stack.db, payment.payment_id);
      expect(theirs).not.toBe('FORGED7');
      expect(await credits(payment)).toEqual([20_000n]);
      expect((await told(payment)).at(-1)).toBe('COMPLETE');
    },
  );

  it('a payment whose acceptance and whose every notification was lost is found by our own name for it', async () => {
    const phone_number = '256704000013';
    await provider.next({ call: 'initiate', behave: 'act_then_drop', where: { phone_number } });
    await silence(phone_number);
    const answer = await push(stack, merchant, { phone_number });
    const payment = await paymentOf(stack.db, answer);
    expect(answer.body.data?.invoice_id).toBe(payment.provider_reference);
    await decide(payment, 'pay');
    await becomes(payment, 'succeeded');
    expect(await credits(payment)).toEqual([20_000n]);
    expect(await inboxOf(payment)).toEqual([]);
  });
});
