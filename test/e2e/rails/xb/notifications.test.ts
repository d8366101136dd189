import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { matchNotification } from '../../../../src/rails/xb/notifications';
import { invoiceIdOf } from '../../../../src/rails/xb/responses';
import type { PaymentRow } from '../../../../src/store/tables';
import { expectClean } from '../../../support/expect-clean';
import { atRest, caseOpened, webhooksOf } from '../../../support/payments/timeline';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import {
  accepted,
  notificationHistory,
  notify,
  payerMs,
  paymentOf,
  push,
} from '../../../support/rails/xb/payments';

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

const {
  silence,
  notify: report,
  decide,
  current,
  inboxOf,
  checkedAt,
  reported,
  credits,
  becomes,
} = notificationHistory(() => ({
  stack,
  provider,
}));
/** A payment without notifications of its provider. */
async function begin(phone_number: string): Promise<PaymentRow> {
  await silence(phone_number);
  return accepted(stack, merchant, { phone_number });
}

describe('POST /in/xb', () => {
  it.each([
    ['a refund', { chargeback_id: '1', invoice: 'QX7PL2K', status: 'PENDING' }],
    ['a payout', { tracking_id: '1', status: 'Completed', transactions: [] }],
    ['nothing at all', {}],
  ])('answers an event of %s, which is not ours, and stores nothing of it', async (_what, event) => {
    const count = () => stack.db('inbox').count({ n: '*' });
    const before = await count();
    expect(await notify(stack, { ...event, challenge: stack.env.XB_CHALLENGE })).toEqual(acknowledged);
    expect(await count()).toEqual(before);
  });

  it('stores notifications without a payment of ours, or with another invoice of one, apart, and acknowledges them', async () => {
    const payment = await begin('256704000002');
    for (const api_ref of ['xb-NOBODY', '', null, 'x'.repeat(300)]) {
      expect(await report(payment, { api_ref, invoice_id: `N${String(api_ref).slice(0, 5)}` })).toEqual(
        acknowledged,
      );
    }
    expect(await report(payment, { invoice_id: 'OTHER77' })).toEqual(acknowledged);
    expect(await inboxOf(payment)).toEqual([]);
    const parked = await stack.db('inbox').where({ rail: 'xb', state: 'parked' });
    expect(parked).toHaveLength(5);
    // As if they had arrived an hour ago.
    const before = new Date(Date.now() - 3_600_000);
    await stack.db('inbox').where({ state: 'parked' }).update({ received_at: before, processed_at: null });
    const caseOfThem = () =>
      stack.db('cases').where({ reason: 'unmatched_notification', payment_id: null, times: 5 }).first();
    const found = await waitFor(caseOfThem, { what: 'a person to be told', timeoutMs: 30_000 });
    expect(found.detail).toMatch(/^of rail xb: inbox/);
  });

  it('finds the payment of one that arrived before it could be found', async () => {
    const payment = await begin('256704000002');
    await report(payment, { api_ref: 'xb-NOBODY', invoice_id: 'EARLY', state: 'FAILED', failed_code: '1' });
    const body = (await stack.db('inbox').where('body', 'like', '%EARLY%').first())?.body ?? '';
    const named = (changes: object) =>
      matchNotification(stack.db, JSON.stringify({ ...(JSON.parse(body) as object), ...changes }));
    expect(await named({})).toBeUndefined();
    const own = { api_ref: payment.callback_token, invoice_id: payment.provider_reference };
    expect(await named(own)).toMatchObject({ payment_id: payment.payment_id });
    // Another invoice with this payment's reference belongs to no payment.
    expect(await named({ ...own, invoice_id: 'EARLY' })).toBeUndefined();
  });

  it('stores a repeat once, and its secret never', async () => {
    const payment = await begin('256704000003');
    await decide(payment, 'fail');
    const failed = { state: 'FAILED', failed_code: '1', failed_reason: 'insufficient balance' };
    const answers = await Promise.all(Array.from({ length: 10 }, () => report(payment, failed)));
    expect(answers).toEqual(Array.from({ length: 10 }, () => acknowledged));
    const [kept, ...others] = await inboxOf(payment);
    expect(others).toEqual([]);
    expect(kept?.body).not.toContain(stack.env.XB_CHALLENGE);
    expect(kept?.body).not.toContain('challenge');
    await becomes(payment, 'failed');
    expect(await reported(payment)).toEqual(['FAILED']);
  });

  it('PROCESSING is sent to the merchant once, and another webhook follows it', async () => {
    const payment = await begin('256704000004');
    expect(await report(payment, { state: 'PENDING' })).toEqual(acknowledged);
    await atRest(stack.db, payment.payment_id);
    expect(await reported(payment)).toEqual([]);
    await report(payment, { state: 'PROCESSING', charges: '0.00', net_amount: '20000.00' });
    await becomes(payment, 'processing');
    await report(payment, { state: 'RETRY' });
    await report(payment, { state: 'PROCESSING', updated_at: '2026-01-05T12:00:40+03:00' });
    await atRest(stack.db, payment.payment_id);
    expect(await webhooksOf(stack.db, payment.payment_id)).toEqual([
      {
        next_step: expect.objectContaining({ code: 'wait' }) as object,
        id: payment.payment_id,
        invoice: {
          invoice_id: invoiceIdOf(payment),
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
    await report(payment, { state: 'CANCELLED' });
    await becomes(payment, 'cancelled');
    expect(await reported(payment)).toEqual(['PROCESSING', 'CANCELLED']);
  });

  it('PROCESSING after the end changes nothing', async () => {
    const payment = await begin('256704000005');
    await decide(payment, 'fail');
    await report(payment, { state: 'FAILED' });
    await becomes(payment, 'failed');
    await report(payment, { state: 'PROCESSING' });
    await atRest(stack.db, payment.payment_id);
    expect(await current(payment)).toMatchObject({ state: 'failed' });
    expect(await reported(payment)).toEqual(['FAILED']);
  });

  it("FAILED ends nothing while the provider's answer differs", async () => {
    const payment = await begin('256704000012');
    await report(payment, { state: 'FAILED', failed_code: '1032' });
    await checkedAt(payment);
    expect(await current(payment)).toMatchObject({ is_final: 0 });
    expect(await reported(payment)).not.toContain('CANCELLED');
    const reason = 'an unverified event reported a failure; the provider answered: open';
    expect(await inboxOf(payment)).toMatchObject([{ state: 'new', reason }]);
    await decide(payment, 'pay');
    await becomes(payment, 'succeeded');
    expect(await credits(payment)).toEqual([20_000n]);
  });

  it.each(['SETTLED', 'paid in full', 'COMPLETE?'])(
    'the unknown state %j is neither paid nor failed, and is logged for operators',
    async (state) => {
      const payment = await begin(`2567040001${String(state.length).padStart(2, '0')}`);
      await report(payment, { state });
      await checkedAt(payment);
      expect(await current(payment)).toMatchObject({ is_final: 0, confirmed_minor: null });
      expect(await reported(payment)).toEqual([]);
      expect(await stack.logs()).toContain('the invoice has no usable result');
    },
  );

  describe('a reported success', () => {
    it("is not trusted before the provider's answer agrees", async () => {
      const payment = await begin('256704000006');
      expect(await report(payment)).toEqual(acknowledged);
      await checkedAt(payment);
      expect(await credits(payment)).toEqual([]);
      expect(await reported(payment)).not.toContain('COMPLETE');

      await provider.advance(payerMs);
      await becomes(payment, 'succeeded');
      expect(await credits(payment)).toEqual([20_000n]);
      expect((await reported(payment)).at(-1)).toBe('COMPLETE');
    });

    it("is booked with the provider's own amounts, whatever was reported", async () => {
      const payment = await begin('256704000007');
      await provider.advance(payerMs);
      await report(payment, { value: '5000000.00', charges: '1.00', mpesa_reference: 'FORGED00001' });
      const { provider_receipt: receipt } = await becomes(payment, 'succeeded');
      await atRest(stack.db, payment.payment_id);
      expect(receipt).toMatch(/^UG\d{11}$/);
      expect(await credits(payment)).toEqual([20_000n]);
      const [last] = (await webhooksOf(stack.db, payment.payment_id)).slice(-1);
      expect(last).toMatchObject({
        invoice: { value: '20000', mm_reference: receipt, charges: '600.00', net_amount: '19400.00' },
      });
    });

    it("in another currency than the provider's answer opens a case", async () => {
      const payment = await begin('256704000008');
      await provider.advance(payerMs);
      await report(payment, { currency: 'TZS' });
      expect(await caseOpened(stack.db, payment.payment_id)).toEqual(['currency_differs']);
      expect(await inboxOf(payment)).toMatchObject([{ state: 'applied' }]);
    });

    it('corrects an earlier failure', async () => {
      const payment = await begin('256704000009');
      await decide(payment, 'fail');
      await report(payment, { state: 'FAILED', failed_reason: 'timeout' });
      await becomes(payment, 'failed');
      await decide(payment, 'pay');
      await report(payment);
      await becomes(payment, 'succeeded');
      await atRest(stack.db, payment.payment_id);
      expect(await reported(payment)).toEqual(['FAILED', 'COMPLETE correction']);
      expect(await credits(payment)).toEqual([20_000n]);
    });

    it('is not overwritten by a later failure, which opens a case', async () => {
      const payment = await begin('256704000010');
      await provider.advance(payerMs);
      await report(payment);
      await becomes(payment, 'succeeded');
      await report(payment, { state: 'FAILED', failed_code: '1032' });
      expect(await caseOpened(stack.db, payment.payment_id)).toEqual(['contradictory_outcome']);
      expect(await current(payment)).toMatchObject({ state: 'succeeded' });
    });
  });
});

describe('a notification without a proof', () => {
  const logged = (text: string) =>
    waitFor(async () => (await stack.logs()).includes(text) || undefined, {
      what: `the log to say "${text}"`,
      timeoutMs: 30_000,
    });

  describe('is answered like every other, because a rejection would end our notifications:', () => {
    let payment: PaymentRow;
    beforeAll(async () => (payment = await begin('256704000001')));
    afterEach(async () => {
      expect(await current(payment)).toMatchObject({ confirmed_minor: null, is_final: 0 });
    });
    /** With this payment, or with none. */
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
      expect(await report(payment, { challenge })).toEqual(acknowledged);
    });

    it('all of them together make few rows, which contain no content', async () => {
      const rows = await inboxOf(payment);
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.length).toBeLessThan(6);
      const stored = { api_ref: payment.callback_token, unproven: true };
      expect(rows.map(({ body }) => JSON.parse(body) as unknown)).toEqual(rows.map(() => stored));
    });

    it.each(['', 'null', '[]', '"paid"', '{', '<html></html>'])(
      'the body %j, and stores nothing of it',
      async (body) => {
        const before = await inboxRows();
        expect(await notify(stack, body)).toEqual(acknowledged);
        expect(await inboxRows()).toHaveLength(before.length);
      },
    );

    it('a caller who names no payment of ours costs no row', async () => {
      const before = await inboxRows();
      for (const api_ref of ['xb-NOBODY', 'xb-SOMEBODY', null]) {
        expect(await report(payment, { challenge: 'wrong', api_ref })).toEqual(acknowledged);
      }
      expect(await inboxRows()).toHaveLength(before.length);
    });

    it("an invoice other than the payment's, and stores nothing of it", async () => {
      const before = await inboxRows();
      expect(await report(payment, { invoice_id: 'OTHER77', challenge: 'wrong' })).toEqual(acknowledged);
      expect(await inboxRows()).toHaveLength(before.length);
      await logged(`the invoice does not belong to payment ${payment.payment_id}`);
    });
  });

  it('triggers a query, so that a reported success is booked all the same', async () => {
    const payment = await begin('256704000014');
    await decide(payment, 'pay');
    expect(await report(payment, { challenge: 'wrong' })).toEqual(acknowledged);
    await becomes(payment, 'succeeded');
    expect(await credits(payment)).toEqual([20_000n]);
    await logged('wrong or missing challenge');
  });

  it('with a wrong challenge every time, the provider disables none of its webhooks', async () => {
    const phones = Array.from({ length: 8 }, (_, n) => `25670400061${String(n)}`);
    for (const phone_number of phones) {
      await provider.next({ call: 'callback', behave: 'wrong_challenge', times: 3, where: { phone_number } });
    }
    const payments = await Promise.all(
      phones.map((phone_number) => accepted(stack, merchant, { phone_number })),
    );
    await provider.advance(payerMs);
    await Promise.all(payments.map((payment) => becomes(payment, 'succeeded')));
    const reported = (await provider.exchanges('callback')).filter(
      ({ fault }) => fault === 'wrong_challenge',
    );
    expect(reported.length).toBeGreaterThan(20);
    expect(reported.map(({ answer }) => answer?.status)).toEqual(reported.map(() => 200));
  });

  it.each(['256704007712', '256704007789'])(
    'accepts the challenge of %s, in a header or in the body',
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

describe('a cross-border push whose submission got no answer', () => {
  /** The provider does not return its invoice with our reference. */
  const notListed = (phone_number: string) =>
    provider.next({ call: 'lookup', behave: '503', times: 9, where: { phone_number } });

  it('a payment without an answer keeps the invoice_id that its merchant got', async () => {
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
    'without an answer, a forged %s with another invoice is not adopted',
    async (state) => {
      const phone_number = `2567040002${String(state.length).padStart(2, '0')}`;
      await provider.next({ call: 'initiate', behave: 'act_then_500', where: { phone_number } });
      await notListed(phone_number);
      const payment = await paymentOf(stack.db, await push(stack, merchant, { phone_number }));
      await report(payment, { invoice_id: 'FORGED7', state });
      await checkedAt(payment);
      expect((await current(payment)).provider_reference).not.toBe('FORGED7');
      expect(await current(payment)).toMatchObject({ is_final: 0 });
      await provider.advance(payerMs);
      const { provider_reference: theirs } = await becomes(payment, 'succeeded');
      await atRest(stack.db, payment.payment_id);
      expect(theirs).not.toBe('FORGED7');
      expect(await credits(payment)).toEqual([20_000n]);
      expect((await reported(payment)).at(-1)).toBe('COMPLETE');
    },
  );

  it('a payment without an answer and without any notification is found by our own reference', async () => {
    const phone_number = '256704000013';
    await provider.next({ call: 'initiate', behave: 'act_then_drop', where: { phone_number } });
    await silence(phone_number);
    const answer = await push(stack, merchant, { phone_number });
    const payment = await paymentOf(stack.db, answer);
    expect(payment.provider_reference).not.toBeNull();
    await decide(payment, 'pay');
    await becomes(payment, 'succeeded');
    expect(await credits(payment)).toEqual([20_000n]);
    expect(await inboxOf(payment)).toEqual([]);
  });
});
