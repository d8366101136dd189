import type { SubmissionResult } from '../../../../src/domain/outcome';
import { createPayment, answerAgain, giveUp, withdraw } from '../../../../src/payments/create/create-payment';
import type { Call } from '../../../../src/rail-kit/endpoint';
import { submitPayment } from '../../../../src/payments/submit/submit-payment';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { openDatabase, type Database } from '../../../../src/store/database';
import { expectClean } from '../../../support/expect-clean';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { insertPayment } from '../../../support/store/rows';
import {
  callOf,
  draft,
  fakeContext,
  fakeEngine,
  lostLongAgo,
  type FakeContext,
} from '../../../support/payments/fakes';

describe('creating a payment', () => {
  let database: TestDatabase;
  let db: Database;
  let context: FakeContext;
  let call: Call;
  beforeAll(async () => {
    database = await createTestDatabase();
    db = database.db;
    const payment = await getPaymentOrThrow(db, await insertPayment(db));
    call = await callOf(db, payment.merchant_id);
  });
  beforeEach(() => {
    context = fakeContext(db);
  });
  afterAll(async () => {
    await expectClean({ db });
    await database.drop();
  });

  const attemptsOf = async (paymentId: string) =>
    (await db('attempts').where({ payment_id: paymentId }).orderBy('n')).map(({ state }) => state);

  describe('when the engine cannot be reached', () => {
    const unreachable = new Error('14 UNAVAILABLE: no connection');

    it('ends the payment, reports that to the merchant, and sends no webhook for a payment that was never created', async () => {
      const engine = fakeEngine(() => Promise.reject(unreachable));
      const taking = createPayment(context, engine, call, { ...draft, accountReference: 'DOWN' });
      await expect(taking).rejects.toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        status: 503,
        options: { retryAfterSeconds: 5 },
      });
      const payment = await db('payments').where({ account_reference: 'DOWN' }).first();
      expect(payment).toMatchObject({ state: 'failed', failure_code: 'NOT_STARTED' });
      expect(await db('outbox').where({ payment_id: payment?.payment_id ?? '' })).toEqual([]);
      expect(context.provider.initiated).toEqual([]);
    });

    it('answers "accepted" when its workflow has started all the same, since the provider may have been called', async () => {
      const engine = fakeEngine(async ({ payment_id: paymentId }) => {
        await submitPayment(context, paymentId);
        throw unreachable;
      });
      const { payment, answer } = await createPayment(context, engine, call, draft);
      expect(answer).toBe('late');
      expect(payment).toMatchObject({ state: 'pending', failure_code: null });
    });
  });

  it('never withdraws an accepted payment, even if its engine is lost when the request is repeated', async () => {
    const late = fakeEngine(() => Promise.resolve('late'));
    const { payment } = await createPayment(context, late, call, draft);
    expect(payment).toMatchObject({ state: 'received', answered_at: expect.any(Date) });
    const lost = fakeEngine(() => Promise.reject(new Error('14 UNAVAILABLE')));
    const again = await answerAgain(context, lost, payment);
    expect(again).toMatchObject({ answer: 'late', payment: { state: 'received', is_final: 0 } });
    expect(await withdraw(context, payment)).toBe('accepted');
  });

  it('stays accepted for every repeat once one request was answered, although its provider is never reached', async () => {
    const late = fakeEngine(() => Promise.resolve('late'));
    const { payment } = await createPayment(context, late, call, draft);
    const refused = { kind: 'refused', publicCode: 'PROVIDER_UNAVAILABLE' } as const;
    const refusing = fakeEngine(async ({ payment_id: paymentId }) => {
      context.provider.acceptances = [{ ...refused, providerCode: 'UNREACHABLE', text: 'no connection' }];
      await submitPayment(context, paymentId);
      return refused;
    });
    const accepted = { answer: 'late', payment: { payment_id: payment.payment_id, state: 'failed' } };
    expect(await answerAgain(context, refusing, payment)).toMatchObject(accepted);
    expect(await answerAgain(context, late, await getPaymentOrThrow(db, payment.payment_id))).toMatchObject(
      accepted,
    );
  });

  it('is not withdrawn once its merchant was answered, although it was given up because nobody started it', async () => {
    const late = fakeEngine(() => Promise.resolve('late'));
    const { payment } = await createPayment(context, late, call, draft);
    await giveUp(context, payment);
    expect(await withdraw(context, payment)).toBe('accepted');
  });

  it('recognises a withdrawal whose answer was lost, and does not take it for a faster workflow', async () => {
    const payment = await getPaymentOrThrow(db, await insertPayment(db));
    expect(await withdraw(context, payment)).toBe('withdrawn');
    expect(await withdraw(context, payment)).toBe('withdrawn');
    const begun = await getPaymentOrThrow(db, await insertPayment(db));
    await submitPayment(context, begun.payment_id);
    expect(await withdraw(context, begun)).toBe('begun');
  });

  it('answers why a payment failed, although the restarted workflow does not know it', async () => {
    const engine = fakeEngine(async ({ payment_id: paymentId }) => {
      context.provider.acceptances = [
        { kind: 'refused', publicCode: 'CUSTOMER_BUSY', providerCode: '1001', text: 'busy' },
      ];
      await submitPayment(context, paymentId);
      return { kind: 'refused', publicCode: 'SERVICE_UNAVAILABLE' };
    });
    await expect(createPayment(context, engine, call, draft)).rejects.toMatchObject({
      code: 'CUSTOMER_BUSY',
    });
  });

  it('answers "late" when the submission takes too long, and the payment continues', async () => {
    const { payment, answer } = await createPayment(
      context,
      fakeEngine(() => Promise.resolve('late')),
      call,
      draft,
    );
    expect(answer).toBe('late');
    expect(payment).toMatchObject({ state: 'received', is_final: 0 });
  });

  it('does not validate a resumed request again, since its payment is in progress', async () => {
    const engine = fakeEngine(() => Promise.resolve('late'));
    const { payment } = await createPayment(context, engine, call, () => Promise.resolve(draft));
    const takenUpAgain = { ...call, resumePaymentId: payment.payment_id };
    const wouldBeRefused = () => Promise.reject(new Error('this very payment has used up the remainder'));
    const again = await createPayment(context, engine, takenUpAgain, wouldBeRefused);
    expect(again.payment.payment_id).toBe(payment.payment_id);
  });

  it("contains the payment's id in an error", async () => {
    const engine = fakeEngine(() => Promise.resolve({ kind: 'refused', publicCode: 'CUSTOMER_BUSY' }));
    const taking = createPayment(context, engine, call, { ...draft, accountReference: 'BUSY' });
    await expect(taking).rejects.toMatchObject({
      code: 'CUSTOMER_BUSY',
      options: { extra: { payment_id: expect.any(String) } },
    });
  });

  describe('submitting to the provider', () => {
    it('is stored before it is done, so that a crash in between is known', async () => {
      const paymentId = await insertPayment(db);
      context.rails.get('stk').operations.deposit = {
        ...context.rails.get('stk').operations.deposit,
        async initiate() {
          expect(await attemptsOf(paymentId)).toEqual(['sent']);
          expect(await getPaymentOrThrow(db, paymentId)).toMatchObject({ state: 'initiating' });
          return { kind: 'accepted', providerReference: `ref-${paymentId}` };
        },
      } as never;
      await submitPayment(context, paymentId);
      expect(await attemptsOf(paymentId)).toEqual(['accepted']);
    });

    it('is not repeated after a crash without an answer: the outcome is unknown', async () => {
      const paymentId = await insertPayment(db, { state: 'initiating' });
      await db('attempts').insert({
        payment_id: paymentId,
        n: 1,
        operation: 'initiate',
        provider_key: paymentId,
        state: 'sent',
        sent_at: new Date(),
      } as never);
      await db('payment_log').insert({
        payment_id: paymentId,
        from_state: 'received',
        to_state: 'initiating',
        cause: 'attempt',
        at: new Date(),
      });
      await lostLongAgo(db, paymentId);
      const result = await submitPayment(context, paymentId);
      expect(result).toMatchObject({
        kind: 'done',
        initiation: { answer: { kind: 'unknown' }, state: 'pending' },
      });
      expect(context.provider.initiated).toEqual([]);
      expect(await attemptsOf(paymentId)).toEqual(['unknown']);
    });

    it('is done once by two concurrent workers', async () => {
      const paymentId = await insertPayment(db);
      await Promise.all([submitPayment(context, paymentId), submitPayment(context, paymentId)]);
      expect(context.provider.initiated).toEqual([paymentId]);
      expect(await getPaymentOrThrow(db, paymentId)).toMatchObject({ state: 'pending' });
    });

    it('is not repeated by a worker that arrives just after the answer to another', async () => {
      // One connection: statements run in the order of their start. The other worker's answer falls between this one's
      // two steps.
      const narrow = openDatabase(database.url, { poolMax: 1 });
      try {
        const paymentId = await insertPayment(db, { state: 'initiating' });
        await db('attempts').insert({
          payment_id: paymentId,
          n: 1,
          operation: 'initiate',
          provider_key: paymentId,
          state: 'sent',
          sent_at: new Date(),
        } as never);
        await db('payment_log').insert([
          {
            payment_id: paymentId,
            from_state: 'received',
            to_state: 'initiating',
            cause: 'attempt',
            at: new Date(),
          },
          {
            payment_id: paymentId,
            from_state: 'initiating',
            to_state: 'pending',
            cause: 'accepted',
            at: new Date(),
          },
        ]);
        const late = submitPayment({ ...context, db: narrow }, paymentId);
        await narrow.transaction(async (trx) => {
          await trx('attempts').where({ payment_id: paymentId }).update({ state: 'accepted' });
          await trx('payments').where({ payment_id: paymentId }).update({ state: 'pending' });
        });
        await late;
        expect(context.provider.initiated).toEqual([]);
        expect(await attemptsOf(paymentId)).toEqual(['accepted']);
      } finally {
        await narrow.destroy();
      }
    });

    it('stores the reference of an answer that arrives after another worker had marked it unknown', async () => {
      const paymentId = await insertPayment(db);
      let answer: (submissionResult: SubmissionResult) => void = () => undefined;
      const answered = new Promise<SubmissionResult>((resolve) => (answer = resolve));
      let asked: () => void = () => undefined;
      const begun = new Promise<void>((resolve) => (asked = resolve));
      context.rails.get('stk').operations.deposit = {
        ...context.rails.get('stk').operations.deposit,
        initiate() {
          asked();
          return answered;
        },
      } as never;
      const slow = submitPayment(context, paymentId);
      await begun;
      await lostLongAgo(db, paymentId);
      await submitPayment(context, paymentId);
      expect(await getPaymentOrThrow(db, paymentId)).toMatchObject({
        state: 'pending',
        provider_reference: null,
      });
      answer({ kind: 'accepted', providerReference: `ref-${paymentId}`, details: { page: 'p' } });
      await slow;
      expect(await getPaymentOrThrow(db, paymentId)).toMatchObject({
        state: 'pending',
        provider_reference: `ref-${paymentId}`,
        details: { page: 'p' },
      });
      expect(await attemptsOf(paymentId)).toEqual(['accepted']);
    });

    it('is repeated when the provider was not reached, three times in all', async () => {
      context.provider.acceptances = [{ kind: 'not_sent', text: 'ECONNREFUSED' }];
      const paymentId = await insertPayment(db);
      expect(await submitPayment(context, paymentId)).toMatchObject({ kind: 'try_again' });
      expect(await submitPayment(context, paymentId)).toMatchObject({ kind: 'try_again' });
      expect(await submitPayment(context, paymentId)).toMatchObject({
        kind: 'done',
        initiation: { answer: { kind: 'refused', publicCode: 'PROVIDER_UNAVAILABLE' }, state: 'failed' },
      });
      expect(await attemptsOf(paymentId)).toEqual(['not_sent', 'not_sent', 'not_sent']);
    });

    it("opens a case when the provider answers with another payment's reference, and accepts nothing", async () => {
      const [first, second] = [await insertPayment(db), await insertPayment(db)];
      context.provider.acceptances = [{ kind: 'accepted', providerReference: 'ws_CO_same' }];
      await submitPayment(context, first);
      expect(await submitPayment(context, second)).toMatchObject({
        initiation: { answer: { kind: 'unknown' } },
      });
      expect(await getPaymentOrThrow(db, second)).toMatchObject({
        state: 'pending',
        provider_reference: null,
      });
      expect((await db('cases').where({ payment_id: second })).map(({ reason }) => reason)).toEqual([
        'reference_reused',
      ]);
    });

    it('is not done for a payment that has ended', async () => {
      const paymentId = await insertPayment(db);
      await submitPayment(context, paymentId);
      context.provider.initiated.length = 0;
      expect(await submitPayment(context, paymentId)).toMatchObject({
        initiation: { answer: { kind: 'accepted' } },
      });
      expect(context.provider.initiated).toEqual([]);
    });
  });
});
