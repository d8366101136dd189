/** Submission within a workflow task: an unfinished one continues in an activity of its own, and is never repeated. */
import { randomUUID } from 'node:crypto';
import { createActivities } from '../../../../activities';
import type { SubmissionResult } from '../../../../src/domain/outcome';
import { railsOf } from '../../../../src/rail-kit/context';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import type { Database } from '../../../../src/store/database';
import type { PaymentRow } from '../../../../src/store/tables';
import { insertPayment } from '../../../support/store/rows';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { fakeContext, lostLongAgo, type FakeContext } from '../../../support/payments/fakes';

describe('a submission within a workflow task', () => {
  let database: TestDatabase;
  let db: Database;
  let context: FakeContext;
  let tries: number;
  beforeAll(async () => {
    database = await createTestDatabase();
    db = database.db;
  });
  beforeEach(() => {
    context = fakeContext(db);
    tries = 1;
  });
  afterAll(() => database.drop());

  /** The activities of one process. */
  const aProcess = (inTaskMs = 60_000, initiationsInTask = 2) =>
    createActivities({
      context,
      deliverer: undefined as never,
      observeDelivery: () => undefined,
      places: { initiations: 10, initiationsInTask, reviews: 1, quickReviews: 1 },
      inTaskMs: { provider: inTaskMs, merchant: inTaskMs },
      attempt: () => tries,
    });

  const paymentOf = async (rail = 'stk') => ({ paymentId: await insertPayment(db, { rail }), rail });

  /** A provider that answers when the test says so. */
  function answersLater(rail = 'stk') {
    const operation = context.rails.get('stk').operations.deposit;
    const asked: string[] = [];
    const waiting: ((submissionResult: SubmissionResult) => void)[] = [];
    const initiate = ({ payment_id: id }: PaymentRow) => {
      asked.push(id);
      return new Promise<SubmissionResult>((resolve) => waiting.push(resolve));
    };
    const slow = { name: rail, operations: { deposit: { ...operation, initiate } } };
    const others = context.rails.all.filter(({ name }) => name !== rail);
    context.rails = railsOf([...others, { ...context.rails.get('stk'), ...slow } as never]);
    return {
      asked,
      answer(submissionResult: SubmissionResult) {
        for (const resolve of waiting.splice(0)) resolve(submissionResult);
      },
    };
  }

  const accepted = (): SubmissionResult => ({ kind: 'accepted', providerReference: randomUUID() });
  const attemptsOf = async (paymentId: string) =>
    (await db('attempts').where({ payment_id: paymentId }).orderBy('n')).map(({ state }) => state);

  it('is answered there by a fast provider', async () => {
    const { activities } = aProcess();
    const payment = await paymentOf();
    expect(await activities.submitToProvider({ ...payment, patient: false })).toMatchObject({
      answer: { kind: 'accepted' },
      state: 'pending',
    });
    expect(await attemptsOf(payment.paymentId)).toEqual(['accepted']);
  });

  it('is rejected there', async () => {
    const refused = { kind: 'refused', publicCode: 'PROVIDER_UNAVAILABLE', providerCode: '9', text: 'no' };
    context.provider.acceptances = [refused as SubmissionResult];
    const answer = await aProcess().activities.submitToProvider({ ...(await paymentOf()), patient: false });
    expect(answer).toMatchObject({
      answer: { kind: 'refused', publicCode: 'PROVIDER_UNAVAILABLE' },
      state: 'failed',
    });
  });

  it('that takes longer is awaited by the next activity, and is sent once', async () => {
    const provider = answersLater();
    const { activities, idle } = aProcess(1);
    const payment = await paymentOf();
    expect(await activities.submitToProvider({ ...payment, patient: false })).toEqual({ afterMs: 0 });
    const takenOver = activities.submitToProvider({ ...payment, patient: true });
    await untilAsked(provider.asked, 1);
    provider.answer(accepted());
    expect(await takenOver).toMatchObject({ answer: { kind: 'accepted' }, state: 'pending' });
    await idle();
    expect(provider.asked).toEqual([payment.paymentId]);
    expect(await attemptsOf(payment.paymentId)).toEqual(['accepted']);
  });

  it('keeps the process alive until its result is stored', async () => {
    const provider = answersLater();
    const { activities, idle } = aProcess(1);
    const payment = await paymentOf();
    await activities.submitToProvider({ ...payment, patient: false });
    let isIdle = false;
    const ended = idle().then(() => (isIdle = true));
    await untilAsked(provider.asked, 1);
    expect(isIdle).toBe(false);
    provider.answer(accepted());
    await ended;
    expect(await getPaymentOrThrow(db, payment.paymentId)).toMatchObject({ state: 'pending' });
  });

  it('is repeated without effect, if its answer is lost with its task', async () => {
    const { activities } = aProcess();
    const payment = await paymentOf();
    await activities.submitToProvider({ ...payment, patient: false });
    expect(await activities.submitToProvider({ ...payment, patient: false })).toMatchObject({
      answer: { kind: 'accepted' },
      state: 'pending',
    });
    expect(context.provider.initiated).toEqual([payment.paymentId]);
  });

  it('in progress in another process is neither sent again nor looked up before it must be lost', async () => {
    const provider = answersLater();
    const payment = await paymentOf();
    const first = aProcess().activities.submitToProvider({ ...payment, patient: false });
    await untilAsked(provider.asked, 1);
    const other = aProcess().activities;
    const waits = { afterMs: expect.any(Number), why: 'another process may be submitting it', openCases: [] };
    expect(await other.submitToProvider({ ...payment, patient: false })).toEqual(waits);
    await db('attempts')
      .where({ payment_id: payment.paymentId })
      .update({ sent_at: new Date(Date.now() - 25_000) });
    expect(await other.submitToProvider({ ...payment, patient: false })).toEqual(waits);
    await lostLongAgo(db, payment.paymentId);
    expect(await other.submitToProvider({ ...payment, patient: false })).toMatchObject({
      answer: { kind: 'unknown' },
      state: 'pending',
    });
    provider.answer({ kind: 'accepted', providerReference: 'ref-late' });
    await first;
    expect(provider.asked).toEqual([payment.paymentId]);
    expect(await getPaymentOrThrow(db, payment.paymentId)).toMatchObject({
      state: 'pending',
      provider_reference: 'ref-late',
    });
  });

  it('whose answer this process could not store is looked up at once', async () => {
    const payment = await paymentOf();
    const { activities } = aProcess();
    const operation = context.rails.get('stk').operations.deposit;
    context.rails.get('stk').operations.deposit = {
      ...operation,
      initiate: () => Promise.reject(new Error('the database is lost')),
    } as never;
    await expect(activities.submitToProvider({ ...payment, patient: false })).rejects.toThrow(
      'the database is lost',
    );
    expect(await activities.submitToProvider({ ...payment, patient: true })).toMatchObject({
      answer: { kind: 'unknown' },
    });
  });

  it('that was not sent is sent by its activity when due, and not before', async () => {
    context.provider.acceptances = [
      { kind: 'not_sent', text: 'ECONNREFUSED' },
      { kind: 'accepted', providerReference: 'ref-at-last' },
    ];
    const { activities } = aProcess();
    const payment = await paymentOf();
    const postponed = await activities.submitToProvider({ ...payment, patient: false });
    expect(postponed).toEqual({ afterMs: 300, why: 'the provider was not reached', openCases: [] });
    const again = { ...payment, postponed: postponed as { afterMs: number } };
    await expect(activities.submitToProvider({ ...again, patient: true })).rejects.toMatchObject({
      type: 'NOT_SENT',
      message: 'the provider was not reached',
      nextRetryDelay: 300,
    });
    expect(context.provider.initiated).toHaveLength(1);
    tries = 2;
    expect(await activities.submitToProvider({ ...again, patient: true })).toMatchObject({
      answer: { kind: 'accepted' },
    });
    expect(await attemptsOf(payment.paymentId)).toEqual(['not_sent', 'accepted']);
  });

  it('of a provider that hangs takes no place of another rail, and soon none in a task', async () => {
    const provider = answersLater('hanging');
    const { activities, idle } = aProcess();
    const stuck = [await paymentOf('hanging'), await paymentOf('hanging'), await paymentOf('hanging')];
    const [first, second, third] = stuck.map((payment) =>
      activities.submitToProvider({ ...payment, patient: false }),
    );
    // The third has no place, and is rejected while the others still wait.
    expect(await Promise.race([first, second, third])).toEqual({ afterMs: 0 });
    expect(await activities.submitToProvider({ ...(await paymentOf()), patient: false })).toMatchObject({
      answer: { kind: 'accepted' },
    });
    // An activity of its own has another place.
    const aside = activities.submitToProvider({
      ...(stuck[2] as { paymentId: string; rail: string }),
      patient: true,
    });
    await untilAsked(provider.asked, 3);
    provider.answer({ kind: 'unknown', text: 'it hung' });
    await Promise.all([first, second, aside, idle()]);
  });

  async function untilAsked(asked: string[], count: number): Promise<void> {
    while (asked.length < count) await new Promise((resolve) => setImmediate(resolve));
  }
});
