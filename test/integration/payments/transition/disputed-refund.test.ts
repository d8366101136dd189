/** A merchant can refund a disputed and reserved deposit from the reserve. */
import { balanceOf } from '../../../../src/ledger/balances';
import { insertMerchant } from '../../../support/store/rows';
import { applyTransition, prepareTransition } from '../../../../src/payments/transition/transition';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { expectClean } from '../../../support/expect-clean';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { contest, deposit, transitionTo, testContext } from '../../../support/verify/books-support';
import { askedRefund } from '../requested-refund';

const paid = 10_000n;

describe('a refund of a disputed deposit', () => {
  let test: TestDatabase;
  let merchantId: string;
  let depositId: string;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    merchantId = await insertMerchant(test.db);
    depositId = await deposit(testContext(test.db), { merchantId }, 'initiating', 'pending', 'succeeded');
    await contest(testContext(test.db), depositId);
  });
  afterEach(() => expectClean({ db: test.db }));

  const purse = async () => [
    await balanceOf(test.db, { class: 'wallet', merchantId, currency: 'KES' }),
    await balanceOf(test.db, { class: 'wallet_reserved', merchantId, currency: 'KES' }),
  ];
  const holdOf = async (id: string) => {
    const hold = await test.db('holds').where({ payment_id: id }).first('state', 'amount', 'wanted');
    return hold && [hold.state, hold.amount, hold.wanted];
  };

  async function refund(amountMinor: bigint): Promise<string> {
    const id = await askedRefund(testContext(test.db), { merchantId, depositId, amountMinor });
    return id;
  }
  async function end(id: string, how: 'succeeded' | 'failed'): Promise<void> {
    for (const state of ['initiating', 'pending', how] as const)
      await transitionTo(testContext(test.db), id, state);
  }

  it('uses its part of the reserve, and the rest stays reserved', async () => {
    expect([await purse(), await holdOf(depositId)]).toEqual([
      [0n, paid],
      ['open', '10000', '10000'],
    ]);
    const id = await refund(4_000n);
    expect([await purse(), await holdOf(depositId)]).toEqual([
      [0n, paid],
      ['open', '6000', '6000'],
    ]);
    await end(id, 'succeeded');
    expect([await purse(), await holdOf(depositId)]).toEqual([
      [0n, 6_000n],
      ['open', '6000', '6000'],
    ]);
    await end(await refund(6_000n), 'succeeded');
    expect(await purse()).toEqual([0n, 0n]);
    expect((await holdOf(depositId))?.[0]).toBe('released');
  });

  it('that fails is reserved again in the same transaction: it is never available to the merchant', async () => {
    await end(await refund(4_000n), 'failed');
    expect([await purse(), await holdOf(depositId)]).toEqual([
      [0n, paid],
      ['open', '10000', '10000'],
    ]);
  });

  it('that fails, or is returned, is booked on one connection, and locks the deposit before any account', async () => {
    const [failing, id] = [await refund(4_000n), await refund(3_000n)];
    for (const state of ['initiating', 'pending'] as const)
      for (const one of [failing, id]) await transitionTo(testContext(test.db), one, state);
    const statements: { sql: string; __knexTxId?: string }[] = [];
    const hear = (query: { sql: string }) => statements.push(query);
    for (const ending of ['failed', 'succeeded', 'returned'] as const) {
      const each = await getPaymentOrThrow(test.db, ending === 'failed' ? failing : id);
      await prepareTransition(test.db, each, ending);
      statements.length = 0;
      test.db.on('query', hear);
      await test.db.transaction((trx) =>
        applyTransition(trx, testContext(test.db), each, { to: ending, cause: 'query' }),
      );
      test.db.off('query', hear);
      expect(statements.filter(({ __knexTxId: on }) => on === undefined)).toEqual([]);
      const first = statements.findIndex(({ sql }) => /`payments`.* for update/.test(sql));
      expect(first).toBeGreaterThanOrEqual(0);
      expect(first).toBeLessThan(statements.findIndex(({ sql }) => sql.includes('ledger_accounts')));
    }
    expect([await purse(), await holdOf(depositId)]).toEqual([
      [0n, paid],
      ['open', '10000', '10000'],
    ]);
  });

  it('that fails needs no query for a deposit without a warning', async () => {
    const quiet = testContext(test.db);
    const { deposit: watched } = quiet.rails.get('loud').operations;
    if (watched) delete watched.policy.afterWarningChecksMs;
    const other = await deposit(quiet, { merchantId }, 'initiating', 'pending', 'succeeded');
    depositId = other;
    const id = await refund(1_000n);
    for (const state of ['initiating', 'pending'] as const) await transitionTo(quiet, id, state);
    const each = await getPaymentOrThrow(test.db, id);
    await prepareTransition(test.db, each, 'failed');
    const statements: string[] = [];
    const hear = ({ sql, bindings = [] }: { sql: string; bindings?: unknown[] }) => {
      if (bindings.includes(other)) statements.push(sql);
    };
    test.db.on('query', hear);
    await test.db.transaction((trx) => applyTransition(trx, quiet, each, { to: 'failed', cause: 'query' }));
    test.db.off('query', hear);
    expect(statements).toEqual([]);
  });

  it('that is returned is reserved again', async () => {
    const id = await refund(paid);
    await end(id, 'succeeded');
    await transitionTo(testContext(test.db), id, 'returned');
    expect([await purse(), await holdOf(depositId)]).toEqual([
      [0n, paid],
      ['open', '10000', '10000'],
    ]);
  });

  it('above the reserve is rejected, and changes nothing', async () => {
    await expect(refund(paid + 1n)).rejects.toMatchObject({ code: 'BALANCE_INSUFFICIENT' });
    expect([await purse(), await holdOf(depositId)]).toEqual([
      [0n, paid],
      ['open', '10000', '10000'],
    ]);
  });

  it('succeeds concurrently as often as the reserve covers it', async () => {
    const taken = await Promise.allSettled(Array.from({ length: 6 }, () => refund(3_000n)));
    expect(taken.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect([await purse(), await holdOf(depositId)]).toEqual([
      [0n, paid],
      ['open', '1000', '1000'],
    ]);
    expect((await getPaymentOrThrow(test.db, depositId)).state).toBe('succeeded');
  });
});
