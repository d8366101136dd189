/** The properties of a rail's submissions, besides their answers. */
import { randomUUID } from 'node:crypto';
import type { SubmissionResult } from '../../../../src/domain/outcome';
import { submitPayment } from '../../../../src/payments/submit/submit-payment';
import { ownAttempts } from '../../../../src/payments/submit/write-attempt';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import type { SubmissionCall } from '../../../../src/rail-kit/rail';
import type { Database } from '../../../../src/store/database';
import type { PaymentRow } from '../../../../src/store/tables';
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { cutTransaction } from '../../../support/cut-transaction';
import { expectClean } from '../../../support/expect-clean';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { insertPayment } from '../../../support/store/rows';
import { fakeContext, lostLongAgo, type FakeContext } from '../../../support/payments/fakes';

describe('a submission', () => {
  let database: TestDatabase;
  let db: Database;
  let context: FakeContext;
  beforeAll(async () => {
    database = await createTestDatabase();
    db = database.db;
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

  it('is sent again after a lost answer if that is harmless, with a new number, three times in all', async () => {
    const numbers: number[] = [];
    const lost: SubmissionResult = { kind: 'unknown', text: 'ECONNRESET' };
    const deposit = context.rails.get('stk').operations.deposit;
    context.rails.get('stk').operations.deposit = {
      ...deposit,
      uncertainty: { ...deposit?.uncertainty, whenAnswerLost: 'send_anew' },
      initiate({ payment_id: id }: PaymentRow, { attempt }: SubmissionCall) {
        numbers.push(attempt);
        const isTaken = attempt === 3 && id === lucky;
        return Promise.resolve(isTaken ? { kind: 'accepted', providerReference: `ref-${id}` } : lost);
      },
    } as never;
    const [lucky, unlucky] = [await insertPayment(db), await insertPayment(db)];
    for (const id of [lucky, lucky, lucky, unlucky, unlucky, unlucky]) await submitPayment(context, id);
    expect(numbers).toEqual([1, 2, 3, 1, 2, 3]);
    expect(await attemptsOf(lucky)).toEqual(['unknown', 'unknown', 'accepted']);
    expect(await getPaymentOrThrow(db, lucky)).toMatchObject({ state: 'pending' });
    expect(await getPaymentOrThrow(db, unlucky)).toMatchObject({
      state: 'failed',
      failure_code: 'PROVIDER_UNAVAILABLE',
    });
  });

  it('that is harmless when lost, and answered after another attempt, does not count', async () => {
    const paymentId = await insertPayment(db);
    let answer: (submissionResult: SubmissionResult) => void = () => undefined;
    const answered = new Promise<SubmissionResult>((resolve) => (answer = resolve));
    let asked: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (asked = resolve));
    const deposit = context.rails.get('stk').operations.deposit;
    context.rails.get('stk').operations.deposit = {
      ...deposit,
      uncertainty: { ...deposit?.uncertainty, whenAnswerLost: 'send_anew' },
      initiate(_payment: PaymentRow, { attempt }: SubmissionCall) {
        asked();
        return attempt === 1 ? answered : { kind: 'accepted', providerReference: `second-${paymentId}` };
      },
    } as never;
    const slow = submitPayment(context, paymentId);
    await begun;
    await lostLongAgo(db, paymentId);
    expect(await submitPayment(context, paymentId)).toMatchObject({ kind: 'try_again' });
    await submitPayment(context, paymentId);
    answer({ kind: 'accepted', providerReference: `first-${paymentId}` });
    await slow;
    expect(await getPaymentOrThrow(db, paymentId)).toMatchObject({
      state: 'pending',
      provider_reference: `second-${paymentId}`,
    });
    expect(await attemptsOf(paymentId)).toEqual(['unknown', 'accepted']);
  });

  it('keeps an answer that came while the database was away: another call of the process stores it', async () => {
    const paymentId = await insertPayment(db);
    // The attempt is written, and then nothing reaches the database.
    context.db = cutTransaction(db, { nth: 2, moment: 'before', how: 'dies' });
    const own = ownAttempts();
    await expect(submitPayment(context, paymentId, own)).rejects.toThrow('dead');
    context.db = db;
    await submitPayment(context, paymentId, own);
    expect(context.provider.initiated).toEqual([paymentId]);
    expect(await getPaymentOrThrow(db, paymentId)).toMatchObject({
      ...{ state: 'pending', provider_reference: `ref-${paymentId}` },
    });
    expect(await attemptsOf(paymentId)).toEqual(['accepted']);
  });

  it('whose answer came while the database was away is stored by its process, although another took the payment over', async () => {
    const paymentId = await insertPayment(db);
    let transactions = 0;
    const gone = () => Promise.reject(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }));
    const away = new Proxy(db, {
      get: (target, name) =>
        name === 'transaction' && (transactions += 1) > 1 ? gone : (Reflect.get(target, name) as unknown),
    });
    context.db = away;
    await expect(submitPayment(context, paymentId)).rejects.toThrow('gone');
    await lostLongAgo(db, paymentId);
    const other = fakeContext(db);
    expect(await submitPayment(other, paymentId)).toMatchObject({
      initiation: { answer: { kind: 'unknown' } },
    });
    context.db = db;
    await waitFor(
      async () =>
        (await getPaymentOrThrow(db, paymentId)).provider_reference === `ref-${paymentId}` || undefined,
      { what: 'the answer to be stored', timeoutMs: 30_000, everyMs: 50 },
    );
    expect([context.provider.initiated, other.provider.initiated]).toEqual([[paymentId], []]);
  });

  it('is not sent any more by a process that was suspended after writing it', async () => {
    const paymentId = await insertPayment(db);
    const now = Date.now.bind(Date);
    context.observeTransition = () => {
      jest.spyOn(Date, 'now').mockImplementation(() => now() + 15_100);
    };
    try {
      expect(await submitPayment(context, paymentId)).toMatchObject({
        initiation: { answer: { kind: 'unknown' } },
      });
    } finally {
      jest.restoreAllMocks();
    }
    expect(context.provider.initiated).toEqual([]);
    expect(await getPaymentOrThrow(db, paymentId)).toMatchObject({ state: 'pending' });
    expect(await attemptsOf(paymentId)).toEqual(['unknown']);
  });

  it('deletes the data that only it needed', async () => {
    const deposit = context.rails.get('stk').operations.deposit;
    context.rails.get('stk').operations.deposit = {
      ...deposit,
      forgottenOnceInstructed: ['address'],
      initiate: ({ details }: PaymentRow) =>
        Promise.resolve(
          details.address === 'here'
            ? { kind: 'accepted', providerReference: randomUUID(), details: { page: 'p' } }
            : { kind: 'refused', publicCode: 'PROVIDER_REJECTED_REQUEST', providerCode: '1', text: '' },
        ),
    } as never;
    for (const address of ['here', 'there']) {
      const paymentId = await insertPayment(db, {
        details: { address, kept: 'yes' },
      });
      await submitPayment(context, paymentId);
      const { details } = await getPaymentOrThrow(db, paymentId);
      expect(details).toEqual({ kept: 'yes', ...(address === 'here' ? { page: 'p' } : {}) });
    }
  });
});
