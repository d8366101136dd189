/** A merchant's order_id, which identifies one payment permanently. */
import { createPayment, answerAgain } from '../../../../src/payments/create/create-payment';
import {
  createOrderOnce,
  isOrderKnown,
  orderOfMany,
  type OrderRequest,
} from '../../../../src/payments/create/order-once';
import type { PaymentDraft } from '../../../../src/rail-kit/draft';
import type { Call } from '../../../../src/rail-kit/endpoint';
import type { Operation, RailApi } from '../../../../src/rail-kit/rail';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import type { Database, Transaction } from '../../../../src/store/database';
import { inTransaction } from '../../../../src/store/transaction';
import { insertPayment } from '../../../support/store/rows';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { callOf, draft, fakeContext, fakeEngine, type FakeEngine } from '../../../support/payments/fakes';

let database: TestDatabase;
let db: Database;
let call: Call;
let other: Call;
beforeAll(async () => {
  database = await createTestDatabase();
  db = database.db;
  const callOfAnother = async () =>
    callOf(db, (await getPaymentOrThrow(db, await insertPayment(db))).merchant_id);
  [call, other] = [await callOfAnother(), await callOfAnother()];
});
afterAll(() => database.drop());

type Api = Pick<RailApi, 'db' | 'accept' | 'answerAgain'>;
const late = fakeEngine(() => Promise.resolve('late'));
const lostEngine = fakeEngine(() => Promise.reject(new Error('14 UNAVAILABLE')));
const apiWith = (engine: FakeEngine, context = fakeContext(db)): Api => ({
  db,
  accept: (by, what) => createPayment(context, engine, by, what),
  answerAgain: (payment) => answerAgain(context, engine, payment),
});

let orders = 0;
let request: OrderRequest;
let drafted: number;
beforeEach(() => {
  orders += 1;
  drafted = 0;
  request = { scope: 'order', orderId: `O-${String(orders)}`, body: ['10.00', 'KES', undefined] };
});

const drafting = (): Promise<PaymentDraft> => {
  drafted += 1;
  return Promise.resolve({ ...draft, accountReference: `R-${String(orders)}-${String(drafted)}` });
};
const take = (
  changes: Partial<OrderRequest> = {},
  by = call,
  prepare: () => Promise<PaymentDraft> = drafting,
  api = apiWith(late),
) => createOrderOnce(api, by, { ...request, ...changes }, prepare);
const reusedOf = (paymentId: string) => ({
  code: 'ORDER_ID_REUSED',
  options: { extra: { payment_id: paymentId } },
});
const idOf = async (taking: ReturnType<typeof take>) => (await taking).payment_id;

describe('an order', () => {
  it('is one payment with its id, however often it is requested', async () => {
    const first = await take();
    expect(first.order_id).toBe(request.orderId);
    expect(await idOf(take())).toBe(first.payment_id);
    expect(await isOrderKnown(db, call, request)).toBe(true);
    expect(drafted).toBe(1);
  });

  it('differs for another merchant, another kind, and another name', async () => {
    expect(await isOrderKnown(db, call, request)).toBe(false);
    const taken = [
      await idOf(take()),
      await idOf(take({}, other)),
      await idOf(take({ scope: 'payout' })),
      await idOf(take({ orderId: `${request.orderId}x` })),
    ];
    expect(new Set(taken).size).toBe(4);
  });

  it('is rejected with another body, for every caller', async () => {
    const reused = reusedOf(await idOf(take()));
    const changed = { body: ['10.00', undefined, 'KES'] };
    await expect(take(changed)).rejects.toMatchObject(reused);
    await expect(isOrderKnown(db, call, { ...request, ...changed })).rejects.toMatchObject(reused);
    await expect(orderOfMany(db, call, { ...request, ...changed })).rejects.toMatchObject(reused);
  });

  it('gets the payment of an equal, faster request, and is rejected beside a different one', async () => {
    let quicker = '';
    const overtaken = async () => {
      quicker = await idOf(take());
      return drafting();
    };
    expect(await idOf(take({}, call, overtaken))).toBe(quicker);
    request = { ...request, orderId: `${request.orderId}y` };
    const slower = take({ body: ['11.00'] }, call, overtaken);
    await expect(slower).rejects.toMatchObject({ code: 'ORDER_ID_REUSED' });
  });

  it.each(['received', 'initiating'] as const)(
    'that was answered while it was %s stays that payment, although its provider refuses it later',
    async (state) => {
      const slow = fakeEngine(async ({ payment_id }) => {
        await db('payments').where({ payment_id }).update({ state });
        return 'late';
      });
      const first = await take({}, call, drafting, apiWith(slow));
      await db('payments').where({ payment_id: first.payment_id }).update({
        state: 'failed',
        is_final: 1,
        failure_code: 'PROVIDER_UNAVAILABLE',
        finished_at: new Date(),
      });
      expect(await idOf(take())).toBe(first.payment_id);
      expect(drafted).toBe(1);
    },
  );

  it.each(['received', 'initiating'] as const)(
    'without a payment page, because its provider was too late while it was %s, is created again once it failed',
    async (state) => {
      const context = fakeContext(db);
      const { uncertainty } = context.rails.get(draft.rail).operations.deposit as Operation;
      uncertainty.whenAnswerLost = 'send_anew';
      const slow = fakeEngine(async ({ payment_id }) => {
        await db('payments').where({ payment_id }).update({ state });
        return 'late';
      });
      const api = apiWith(slow, context);
      const first = await take({}, call, drafting, api);
      await db('payments')
        .where({ payment_id: first.payment_id })
        .update({
          ...{ state: 'failed', is_final: 1, failure_code: 'PROVIDER_UNAVAILABLE', finished_at: new Date() },
        });
      expect(await idOf(take({}, call, drafting, api))).not.toBe(first.payment_id);
    },
  );

  it('that was never started is created again, once', async () => {
    await expect(take({}, call, drafting, apiWith(lostEngine))).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    expect(await isOrderKnown(db, call, request)).toBe(false);
    const second = await idOf(take());
    expect(await idOf(take())).toBe(second);
    expect(drafted).toBe(2);
    expect(await db('order_ids').where({ payment_id: second })).toHaveLength(1);
  });

  it('may have started if the database cannot say; any other error is returned', async () => {
    const failing = (error: Error) => take({}, call, () => Promise.reject(error));
    const lost = Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });
    await expect(failing(lost)).rejects.toMatchObject({ code: 'ACCEPTANCE_UNKNOWN' });
    await expect(failing(new Error('a surprise'))).rejects.toThrow('a surprise');
    const api = { ...apiWith(late), accept: () => Promise.reject(new Error('of the acceptance')) };
    await expect(take({}, call, drafting, api)).rejects.toThrow('of the acceptance');
  });
});

describe('the order_id of a bulk', () => {
  const ordered = (changes: Partial<OrderRequest> = {}) => orderOfMany(db, call, { ...request, ...changes });
  const checked = (order: Awaited<ReturnType<typeof ordered>>, paymentId: string) =>
    inTransaction(db, (trx) => order.check(trx, paymentId));

  it('takes its id for one payment, and for no second one', async () => {
    const [order, equal] = [await ordered(), await ordered()];
    expect(order.orderId).toBe(request.orderId);
    const paymentId = await insertPayment(db, { state: 'pending' });
    await checked(order, paymentId);
    // After a COMMIT whose answer was lost, the same row is written again.
    await checked(order, paymentId);
    await expect(checked(equal, await insertPayment(db))).rejects.toMatchObject(reusedOf(paymentId));
    await expect(ordered()).rejects.toMatchObject(reusedOf(paymentId));
  });

  it('is rejected beside a faster one, and replaces one that was never started', async () => {
    const [order, changed, third] = [await ordered(), await ordered({ body: [] }), await ordered()];
    const withdrawn = await insertPayment(db, { state: 'failed', failure_code: 'NOT_STARTED' });
    await checked(order, withdrawn);
    await expect(checked(changed, await insertPayment(db))).rejects.toMatchObject(reusedOf(withdrawn));
    const paymentId = await insertPayment(db);
    await checked(third, paymentId);
    expect(await db('order_ids').where({ payment_id: paymentId })).toHaveLength(1);
    expect(await db('order_ids').where({ payment_id: withdrawn })).toEqual([]);
  });

  it('passes on other database errors', async () => {
    await expect(checked(await ordered(), 'x'.repeat(99))).rejects.toThrow('Data too long');
    const duplicate = Object.assign(new Error('duplicate'), { errno: 1062 });
    const first = () => Promise.resolve(undefined);
    const gone = () => ({
      insert: () => Promise.reject(duplicate),
      where: () => ({ forUpdate: () => ({ first }) }),
    });
    const order = await ordered();
    await expect(order.check(gone as unknown as Transaction, 'p1')).rejects.toThrow(
      'the row of the order_id is missing',
    );
  });
});
