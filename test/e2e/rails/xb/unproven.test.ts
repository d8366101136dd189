import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import type { PaymentRow } from '../../../../src/store/tables';
import { expectClean } from '../../../support/expect-clean';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { accepted, notificationStory, notify, payerMs } from '../../../support/rails/xb/payment-story';

const acknowledged = { status: 200, body: { success: true } };

/** Payers take a minute, so the provider's side only moves when a test moves its clock. */
describe('a notification that nothing proves', () => {
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

  const { silence, tell, decide, current, inboxOf, credits, becomes } = notificationStory(() => ({
    stack,
    provider,
  }));
  /** A payment whose provider tells nothing by itself. */
  async function begin(phone_number: string): Promise<PaymentRow> {
    await silence(phone_number);
    return accepted(stack, merchant, { phone_number });
  }
  const logged = (text: string) =>
    waitFor(async () => (await stack.logs()).includes(text) || undefined, {
      what: `the log to say "${text}"`,
      timeoutMs: 30_000,
    });

  describe('is answered like everything else, because a refusal would have us switched off:', () => {
    let payment: PaymentRow;
    beforeAll(async () => (payment = await begin('256704000001')));
    afterEach(async () => {
      expect(await current(payment)).toMatchObject({ confirmed_minor: null, is_final: 0 });
    });
    const inboxRows = () => stack.db('inbox').where({ rail: 'xb' });

    it.each([
      undefined,
      null,
      '',
      'not-the-agreed-challenge',
      'test-xb-challenge-of-32-character',
      'TEST-XB-CHALLENGE-OF-32-CHARACTERS',
      0,
      true,
      ['test-xb-challenge-of-32-characters'],
      {},
    ])('the challenge %j', async (challenge) => {
      expect(await tell(payment, { challenge })).toEqual(acknowledged);
    });

    it('all of them together make few rows, which say nothing but that somebody spoke', async () => {
      const rows = await inboxOf(payment);
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.length).toBeLessThan(6);
      const said = { api_ref: payment.callback_token, unproven: true };
      expect(rows.map(({ body }) => JSON.parse(body) as unknown)).toEqual(rows.map(() => said));
    });

    it.each(['', 'null', '[]', '"paid"', '{', '<html></html>'])(
      'the body %j, and keeps nothing of it',
      async (body) => {
        const before = await inboxRows();
        expect(await notify(stack, body)).toEqual(acknowledged);
        expect(await inboxRows()).toHaveLength(before.length);
      },
    );

    it('a stranger who names no payment of ours costs no row', async () => {
      const before = await inboxRows();
      for (const api_ref of ['xb-NOBODY', 'xb-SOMEBODY', null]) {
        expect(await tell(payment, { challenge: 'wrong', api_ref })).toEqual(acknowledged);
      }
      expect(await inboxRows()).toHaveLength(before.length);
    });

    it('another invoice than the one we were given, and keeps nothing of it', async () => {
      const before = await inboxRows();
      expect(await tell(payment, { invoice_id: 'OTHER77', challenge: 'wrong' })).toEqual(acknowledged);
      expect(await inboxRows()).toHaveLength(before.length);
      await logged(`the invoice is not of payment ${payment.payment_id}`);
    });
  });

  it('makes us ask, so that a success that it tells of is booked all the same', async () => {
    const payment = await begin('256704000014');
    await decide(payment, 'pay');
    expect(await tell(payment, { challenge: 'wrong' })).toEqual(acknowledged);
    await becomes(payment, 'succeeded');
    expect(await credits(payment)).toEqual([20_000n]);
    await logged('wrong or missing challenge');
  });

  it('a challenge that is always wrong has the provider give up none of its webhooks', async () => {
    const phones = Array.from({ length: 8 }, (_, n) => `25670400061${String(n)}`);
    for (const phone_number of phones) {
      await provider.next({ call: 'callback', behave: 'wrong_challenge', times: 3, where: { phone_number } });
    }
    const payments = await Promise.all(
      phones.map((phone_number) => accepted(stack, merchant, { phone_number })),
    );
    await provider.advance(payerMs);
    await Promise.all(payments.map((payment) => becomes(payment, 'succeeded')));
    const told = (await provider.exchanges('callback')).filter(({ fault }) => fault === 'wrong_challenge');
    expect(told.length).toBeGreaterThan(20);
    expect(told.map(({ answer }) => answer?.status)).toEqual(told.map(() => 200));
  });

  it.each(['256704007712', '256704007789'])(
    'takes the challenge of %s, in a header or in the body',
    async (phone_number) => {
      const payment = await accepted(stack, merchant, { phone_number });
      await provider.advance(payerMs);
      await becomes(payment, 'succeeded');
      const rows = await inboxOf(payment);
      expect(rows).not.toEqual([]);
      expect(rows.map(({ follow_at: at, body }) => [at, body.includes('challenge')])).toEqual(
        rows.map(() => [null, false]),
      );
    },
  );
});
