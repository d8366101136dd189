/** The number of a payment's change rises with whatever its merchant sees of it, and never stands for two changes. */
import { enrich } from '../../../../src/payments/resolve/review';
import { movePayment } from '../../../../src/payments/transition/transition';
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
    const finding = { kind: 'succeeded' as const, code: '0', text: 'paid', receipt };
    await test.db.transaction((trx) =>
      enrich(trx, payment, finding, { remember: undefined, warned: undefined }),
    );
  };
  const sequenceOf = async (paymentId: string) => (await getPaymentOrThrow(test.db, paymentId)).sequence;

  it('rises when a receipt comes later', async () => {
    const id = await insertPayment(test.db, { state: 'succeeded', is_final: 1, sequence: 4 });
    await receiptComes(id, 'UA55SEQ001');
    expect(await sequenceOf(id)).toBe(5);
  });

  it('stands where nothing is new', async () => {
    const id = await insertPayment(test.db, { state: 'pending', sequence: 4 });
    const payment = await getPaymentOrThrow(test.db, id);
    await test.db.transaction((trx) =>
      enrich(trx, payment, undefined, { remember: undefined, warned: undefined }),
    );
    expect(await sequenceOf(id)).toBe(4);
  });

  it('is another for a move of a payment to which a reference was added since it was read', async () => {
    const context = fakeContext(test.db);
    const id = await insertPayment(test.db, { state: 'pending', sequence: 4 });
    const read = await getPaymentOrThrow(test.db, id);
    await receiptComes(id, 'UA55SEQ002');
    const moved = await test.db.transaction((trx) =>
      movePayment(trx, context, read, { to: 'timed_out', cause: 'deadline' }),
    );
    expect([moved?.payment.sequence, await sequenceOf(id)]).toEqual([6, 6]);
    const told = await test.db('outbox').where({ payment_id: id }).pluck('sequence');
    expect(told).toEqual([6]);
  });

  it('rises by one for one of two moves of the same reading', async () => {
    const context = fakeContext(test.db);
    const id = await insertPayment(test.db, { state: 'pending', sequence: 4 });
    const read = await getPaymentOrThrow(test.db, id);
    const move = () =>
      test.db.transaction((trx) => movePayment(trx, context, read, { to: 'timed_out', cause: 'deadline' }));
    const both = [await move(), await move()].map((moved) => moved?.payment.sequence);
    expect([both, await sequenceOf(id)]).toEqual([[5, undefined], 5]);
  });
});
