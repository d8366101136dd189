/**
 * A database that refuses a write has committed nothing: the answer says that nothing was started, and a repeat is
 * served. Only a refused Idempotency-Key leaves the result unknown: an earlier request may have used it.
 */
import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { expectClean } from '../support/expect-clean';
import { call, paymentIdOf, stkPush, type ApiAnswer } from '../support/merchant-client';
import { startStack, type OwnStack, type TestMerchant } from '../support/stack';

/** The server's errors by number, with its state and words. */
const refusals = {
  'a full table': [1114, 'HY000', 'The table is full'],
  'a full disk': [1021, 'HY000', 'Disk full'],
  'a read-only server': [1290, 'HY000', 'The server is running with the --read-only option'],
  'a lock that is not released': [1205, 'HY000', 'Lock wait timeout exceeded; try restarting transaction'],
  'repeated deadlocks': [1213, '40001', 'Deadlock found when trying to get lock'],
  'too many connections': [1040, '08004', 'Too many connections'],
} as const;

describe('a refused write', () => {
  let database: TestDatabase;
  let stack: OwnStack;
  let merchant: TestMerchant;
  beforeAll(async () => {
    database = await createTestDatabase();
    stack = await startStack({ timeScale: 100, database });
    merchant = await stack.createMerchant();
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
    await database.drop();
  });

  /** Works while every insert into the table is refused. */
  async function whileRefused<T>(
    table: 'payments' | 'idempotency_keys',
    [errno, state, words]: readonly [number, string, string],
    work: () => Promise<T>,
  ): Promise<T> {
    await stack.db.raw(
      `CREATE TRIGGER refused BEFORE INSERT ON ${table} FOR EACH ROW
       SIGNAL SQLSTATE '${state}' SET MYSQL_ERRNO = ${String(errno)}, MESSAGE_TEXT = '${words}'`,
    );
    try {
      return await work();
    } finally {
      await stack.db.raw('DROP TRIGGER refused');
    }
  }

  const push = (orderId: string, key?: string): Promise<ApiAnswer> =>
    call(
      stack,
      merchant,
      'POST',
      '/api/v1/stk_push',
      stkPush({ order_id: orderId }),
      key === undefined ? {} : { 'Idempotency-Key': key },
    );
  const paymentsOf = async (orderId: string) =>
    (await stack.db('payments').where({ order_id: orderId }).select('payment_id')).map(
      ({ payment_id: id }) => id,
    );

  it.each(Object.entries(refusals))('by %s is 503, and nothing was started', async (_what, refusal) => {
    const [plain, keyed, key] = [randomUUID(), randomUUID(), randomUUID()];
    const refused = await whileRefused('payments', refusal, () =>
      Promise.all([push(plain), push(keyed, key)]),
    );
    for (const answer of refused) {
      expect(answer).toMatchObject({ status: 503, body: { success: false, code: 'SERVICE_UNAVAILABLE' } });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect([await paymentsOf(plain), await paymentsOf(keyed)]).toEqual([[], []]);
    // The key is free again.
    const repeated = await push(keyed, key);
    expect(repeated.status).toBe(200);
    expect(await paymentsOf(keyed)).toEqual([paymentIdOf(repeated)]);
  });

  it.each(Object.entries(refusals))('of a key by %s is unknown until a repeat', async (_what, refusal) => {
    const [orderId, key] = [randomUUID(), randomUUID()];
    const refused = await whileRefused('idempotency_keys', refusal, () => push(orderId, key));
    expect(refused).toMatchObject({ status: 504, body: { success: false, code: 'ACCEPTANCE_UNKNOWN' } });
    const repeated = await push(orderId, key);
    expect(repeated.status).toBe(200);
    expect(await paymentsOf(orderId)).toEqual([paymentIdOf(repeated)]);
  });
});
