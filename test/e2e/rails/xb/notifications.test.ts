import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { matchNotification } from '../../../../src/rails/xb/notifications';
import type { PaymentRow } from '../../../../src/store/tables';
import { expectClean } from '../../../support/expect-clean';
import { atRest, caseOpened, webhooksOf } from '../../../support/payment-story';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import {
  accepted,
  notificationStory,
  notify,
  payerMs,
  paymentOf,
  push,
} from '../../../support/rails/xb/payment-story';

const acknowledged = { status: 200, body: { success: true } };

/** Payers take a minute, so the provider's side only moves when a test moves its clock. */
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
/** A payment whose provider tells nothing by itself. */
async function begin(phone_number: string): Promise<PaymentRow> {
  await silence(phone_number);
  return accepted(stack, merchant, { phone_number });
}

describe('POST /in/xb', () => {
  it.each([
    ['a refund', { chargeback_id: '1', invoice: 'QX7PL2K', status: 'PENDING' }],
    ['a payout', { tracking_id: '1', status: 'Completed', transactions: [] }],
    ['nothing at all', {}],
  ])('answers the event of %s, which is none of ours, and keeps nothing of it', async (_what, event) => {
    const count = () => stack.db('inbox').count({ n: '*' });
    const before = await count();
    expect(await notify(stack, { ...event, challenge: stack.env.XB_CHALLENGE })).toEqual(acknowledged);
    expect(await count()).toEqual(before);
  });

  it('keeps what names no payment of ours, or another invoice of one, apart, and acknowledges it', async () => {
    const payment = await begin('256704000002');
    for (const api_ref of ['xb-NOBODY', '', null, 'x'.repeat(300)]) {
      expect(await tell(payment, { api_ref, invoice_id: `N${String(api_ref).slice(0, 5)}` })).toEqual(
        acknowledged,
      );
    }
    expect(await tell(payment, { invoice_id: 'OTHER77' })).toEqual(acknowledged);
    expect(await inboxOf(payment)).toEqual([]);
    const parked = await stack.db('inbox').where({ rail: 'xb', state: 'parked' });
    expect(parked).toHaveLength(5);
    // As if they had come an hour ago.
    const before = new Date(Date.now() - 3_600_000);
    await stack.db('inbox').where({ state: 'parked' }).update({ received_at: before, processed_at: null });
    const caseOfThem = () =>
      stack.db('cases').where({ reason: 'unmatched_notification', payment_id: null, times: 5 }).first();
    const found = await waitFor(caseOfThem, { what: 'a person to be told', timeoutMs: 30_000 });
    expect(found.detail).toMatch(/^of rail xb: inbox/);
  });

  it('finds the payment of one that came before it could be found', async () => {
    const payment = await begin('256704000002');
    await tell(payment, { api_ref: 'xb-NOBODY', invoice_id: 'EARLY', state: 'FAILED', failed_code: '1' });
    const body = (await stack.db('inbox').where('body', 'like', '%EARLY%').first())?.body ?? '';
    const named = (changes: object) =>
      matchNotification(stack.db, JSON.stringify({ ...(JSON.parse(body) as object), ...changes }));
    expect(await named({})).toBeUndefined();
    const own = { api_ref: payment.callback_token, invoice_id: payment.provider_reference };
    expect(await named(own)).toMatchObject({ payment_id: payment.payment_id });
    // Another invoice under this payment's name is nobody's.
    expect(await named({ ...own, invoice_id: 'EARLY' })).toBeUndefined();
  });

  it('keeps a repeat once, and its secret never', async () => {
    const payment = await begin('256704000003');
    await decide(payment, 'fail');
    const failed = { state: 'FAILED', failed_code: '1', failed_reason: 'insufficient balance' };
    const answers = await Promise.all(Array.from({ length: 10 }, () => tell(payment, failed)));
    expect(answers).toEqual(Array.from({ length: 10 }, () => acknowledged));
    const [kept, ...others] = await inboxOf(payment);
    expect(others).toEqual([]);
    expect(kept?.body).not.toContain(stack.env.XB_CHALLENGE);
    expect(kept?.body).not.toContain('challenge');
    await becomes(payment, 'failed');
    expect(await told(payment)).toEqual(['FAILED']);
  });

  it('PROCESSING is told to the merchant once, and another webhook follows it', async () => {
    const payment = await begin('256704000004');
    expect(await tell(payment, { state: 'PENDING' })).toEqual(acknowledged);
    await atRest(stack.db, payment.payment_id);
    expect(await told(payment)).toEqual([]);
    await tell(payment, { state: 'PROCESSING', charges: '0.00', net_amount: '20000.00' });
    await becomes(payment, 'processing');
    await tell(payment, { state: 'RETRY' });
    await tell(payment, { state: 'PROCESSING', updated_at: '2026-01-05T12:00:40+03:00' });
    await atRest(stack.db, payment.payment_id);
    expect(await webhooksOf(stack.db, payment.payment_id)).toEqual([
      {
        next_step: expect.objectContaining({ code: 'wait' }) as object,
        id: payment.payment_id,
        invoice: {
          invoice_id: payment.provider_reference,
          state: 'PROCESSING',
          value: '20000',
          api_ref: payment.account_reference,
          currency: 'UGX',
          mm_reference: '',
          charges: '0.00',
          net_amount: '20000.00',
        },
        event_type: 'deposit.processing',
        callback_type: 'Cross-Border',
        sequence: expect.any(Number),
      },
    ]);
    await decide(payment, 'cancel');
    await tell(payment, { state: 'CANCELLED' });
    await becomes(payment, 'cancelled');
    expect(await told(payment)).toEqual(['PROCESSING', 'CANCELLED']);
  });

  it('PROCESSING after an ending changes nothing', async () => {
    const payment = await begin('256704000005');
    await decide(payment, 'fail');
    await tell(payment, { state: 'FAILED' });
    await becomes(payment, 'failed');
    await tell(payment, { state: 'PROCESSING' });
    await atRest(stack.db, payment.payment_id);
    expect(await current(payment)).toMatchObject({ state: 'failed' });
    expect(await told(payment)).toEqual(['FAILED']);
  });

  it('FAILED ends nothing while the provider, asked, says something else', async () => {
    const payment = await begin('256704000012');
    await tell(payment, { state: 'FAILED', failed_code: '1032' });
    await lookedAt(payment);
    expect(await current(payment)).toMatchObject({ is_final: 0 });
    expect(await told(payment)).not.toContain('CANCELLED');
    const reason = 'a failure was reported without proof; asked, the provider says open';
    expect(await inboxOf(payment)).toMatchObject([{ state: 'new', reason }]);
    await decide(payment, 'pay');
    await becomes(payment, 'succeeded');
    expect(await credits(payment)).toEqual([20_000n]);
  });

  it.each(['SETTLED', 'paid in full', 'COMPLETE?'])(
    'the state %j, which we have never seen, is neither paid nor failed, and an operator can read of it',
    async (state) => {
      const payment = await begin(`2567040001${String(state.length).padStart(2, '0')}`);
      await tell(payment, { state });
      await lookedAt(payment);
      expect(await current(payment)).toMatchObject({ is_final: 0, confirmed_minor: null });
      expect(await told(payment)).toEqual([]);
      expect(await stack.logs()).toContain('it says nothing that we can act upon');
    },
  );

  describe('a reported success', () => {
    it('is not believed before the provider, asked, agrees', async () => {
      const payment = await begin('256704000006');
      expect(await tell(payment)).toEqual(acknowledged);
      await lookedAt(payment);
      expect(await credits(payment)).toEqual([]);
      expect(await told(payment)).not.toContain('COMPLETE');

      await provider.advance(payerMs);
      await becomes(payment, 'succeeded');
      expect(await credits(payment)).toEqual([20_000n]);
      expect((await told(payment)).at(-1)).toBe('COMPLETE');
    });

    it("is booked with the provider's own figures, whatever was reported", async () => {
      const payment = await begin('256704000007');
      await provider.advance(payerMs);
      await tell(payment, { value: '5000000.00', charges: '1.00', mpesa_reference: 'FORGED00001' });
      const { provider_receipt: receipt } = await becomes(payment, 'succeeded');
      await atRest(stack.db, payment.payment_id);
      expect(receipt).toMatch(/^UG\d{11}$/);
      expect(await credits(payment)).toEqual([20_000n]);
      const [last] = (await webhooksOf(stack.db, payment.payment_id)).slice(-1);
      expect(last).toMatchObject({
        invoice: { value: '20000', mm_reference: receipt, charges: '600.00', net_amount: '19400.00' },
      });
    });

    it('in another currency than the provider says, when asked, is a case', async () => {
      const payment = await begin('256704000008');
      await provider.advance(payerMs);
      await tell(payment, { currency: 'TZS' });
      expect(await caseOpened(stack.db, payment.payment_id)).toEqual(['currency_differs']);
      expect(await inboxOf(payment)).toMatchObject([{ state: 'applied' }]);
    });

    it('corrects a failure that was told before it', async () => {
      const payment = await begin('256704000009');
      await decide(payment, 'fail');
      await tell(payment, { state: 'FAILED', failed_reason: 'timeout' });
      await becomes(payment, 'failed');
      await decide(payment, 'pay');
      await tell(payment);
      await becomes(payment, 'succeeded');
      await atRest(stack.db, payment.payment_id);
      expect(await told(payment)).toEqual(['FAILED', 'COMPLETE correction']);
      expect(await credits(payment)).toEqual([20_000n]);
    });

    it('is not overwritten by a failure reported after it, which a person is told of', async () => {
      const payment = await begin('256704000010');
      await provider.advance(payerMs);
      await tell(payment);
      await becomes(payment, 'succeeded');
      await tell(payment, { state: 'FAILED', failed_code: '1032' });
      expect(await caseOpened(stack.db, payment.payment_id)).toEqual(['contradictory_outcome']);
      expect(await current(payment)).toMatchObject({ state: 'succeeded' });
    });
  });
});

describe('a notification that nothing proves', () => {
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
    /** Of this payment, or of none. */
    const inboxRows = () =>
      stack
        .db('inbox')
        .where({ rail: 'xb' })
        .where((row) => void row.whereNull('payment_id').orWhere({ payment_id: payment.payment_id }));

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

describe('a cross-border push whose acceptance was lost', () => {
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
