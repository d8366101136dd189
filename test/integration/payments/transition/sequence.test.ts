/** The number of a payment's change rises with every change that its merchant can see, and is never used twice. */
import { enrich } from '../../../../src/payments/resolve/review';
import { applyTransition } from '../../../../src/payments/transition/transition';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { insertPayment } from '../../../support/store/rows';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { fakeContext } from '../../../support/payments/fakes';

describe('the sequence of a payment', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.drop());

  const receiptComes = async (paymentId: string, receipt: string) => {
    const payment = await getPaymentOrThrow(test.db, paymentId);
    const providerResult = { kind: 'succeeded' as const, code: '0', text: 'paid', receipt };
    await test.db.transaction((trx) =>
      enrich(trx, payment, providerResult, { remember: undefined, warned: undefined }),
    );
  };
  const sequenceOf = async (paymentId: string) => (await getPaymentOrThrow(test.db, paymentId)).sequence;

  it('rises when a receipt arrives later', async () => {
    const id = await insertPayment(test.db, { state: 'succeeded', is_final: 1, sequence: 4 });
    await receiptComes(id, 'UA55SEQ001');
    expect(await sequenceOf(id)).toBe(5);
  });

  it('stays without a change', async () => {
    const id = await insertPayment(test.db, { state: 'pending', sequence: 4 });
    const payment = await getPaymentOrThrow(test.db, id);
    await test.db.transaction((trx) =>
      enrich(trx, payment, undefined, { remember: undefined, warned: undefined }),
    );
    expect(await sequenceOf(id)).toBe(4);
  });

  it('differs for a transition of a payment to which a reference was added since it was read', async () => {
    const context = fakeContext(test.db);
    const id = await insertPayment(test.db, { state: 'pending', sequence: 4 });
    const read = await getPaymentOrThrow(test.db, id);
    await receiptComes(id, 'UA55SEQ002');
    const moved = await test.db.transaction((trx) =>
      applyTransition(trx, context, read, { to: 'timed_out', cause: 'deadline' }),
    );
    expect([moved?.payment.sequence, await sequenceOf(id)]).toEqual([6, 6]);
    const reported = await test.db('outbox').where({ payment_id: id }).pluck('sequence');
    expect(reported).toEqual([6]);
  });

  it('rises by one for one of two transitions from the same read', async () => {
    const context = fakeContext(test.db);
    const id = await insertPayment(test.db, { state: 'pending', sequence: 4 });
    const read = await getPaymentOrThrow(test.db, id);
    const transition = () =>
      test.db.transaction((trx) =>
        applyTransition(trx, context, read, { to: 'timed_out', cause: 'deadline' }),
      );
    const both = [await transition(), await transition()].map((moved) => moved?.payment.sequence);
    expect([both, await sequenceOf(id)]).toEqual([[5, undefined], 5]);
  });
});
