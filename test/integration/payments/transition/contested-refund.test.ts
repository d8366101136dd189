/** A deposit that is disputed, and held, may still be refunded by its merchant: out of what is held. */
import { balanceOf } from '../../../../src/ledger/balances';
import { insertMerchant } from '../../../support/store/rows';
import { movePayment, prepareMove } from '../../../../src/payments/transition/transition';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { expectClean } from '../../../support/expect-clean';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { contest, deposit, moveAlong, testContext } from '../../../support/verify/books-support';
import { askedRefund } from '../asked-refund';

const paid = 10_000n;

describe('a refund of a deposit that is disputed', () => {
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
      await moveAlong(testContext(test.db), id, state);
  }

  it('takes what is held of it, and the rest stays held', async () => {
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

  it('that fails is held again in the same transaction: at no moment is it the merchant’s', async () => {
    await end(await refund(4_000n), 'failed');
    expect([await purse(), await holdOf(depositId)]).toEqual([
      [0n, paid],
      ['open', '10000', '10000'],
    ]);
  });

  it('that fails, or comes back, is booked on one connection, and locks the deposit before any account', async () => {
    const [failing, id] = [await refund(4_000n), await refund(3_000n)];
    for (const state of ['initiating', 'pending'] as const)
      for (const one of [failing, id]) await moveAlong(testContext(test.db), one, state);
    const said: { sql: string; __knexTxId?: string }[] = [];
    const hear = (query: { sql: string }) => said.push(query);
    for (const ending of ['failed', 'succeeded', 'returned'] as const) {
      const each = await getPaymentOrThrow(test.db, ending === 'failed' ? failing : id);
      await prepareMove(test.db, each, ending);
      said.length = 0;
      test.db.on('query', hear);
      await test.db.transaction((trx) =>
        movePayment(trx, testContext(test.db), each, { to: ending, cause: 'query' }),
      );
      test.db.off('query', hear);
      expect(said.filter(({ __knexTxId: on }) => on === undefined)).toEqual([]);
      const first = said.findIndex(({ sql }) => /`payments`.* for update/.test(sql));
      expect(first).toBeGreaterThanOrEqual(0);
      expect(first).toBeLessThan(said.findIndex(({ sql }) => sql.includes('ledger_accounts')));
    }
    expect([await purse(), await holdOf(depositId)]).toEqual([
      [0n, paid],
      ['open', '10000', '10000'],
    ]);
  });

  it('that fails asks nothing of a deposit that no provider warns of', async () => {
    const quiet = testContext(test.db);
    const { deposit: watched } = quiet.rails.get('loud').operations;
    if (watched) delete watched.policy.afterWarningChecksMs;
    const other = await deposit(quiet, { merchantId }, 'initiating', 'pending', 'succeeded');
    depositId = other;
    const id = await refund(1_000n);
    for (const state of ['initiating', 'pending'] as const) await moveAlong(quiet, id, state);
    const each = await getPaymentOrThrow(test.db, id);
    await prepareMove(test.db, each, 'failed');
    const said: string[] = [];
    const hear = ({ sql, bindings = [] }: { sql: string; bindings?: unknown[] }) => {
      if (bindings.includes(other)) said.push(sql);
    };
    test.db.on('query', hear);
    await test.db.transaction((trx) => movePayment(trx, quiet, each, { to: 'failed', cause: 'query' }));
    test.db.off('query', hear);
    expect(said).toEqual([]);
  });

  it('that came back is held again', async () => {
    const id = await refund(paid);
    await end(id, 'succeeded');
    await moveAlong(testContext(test.db), id, 'returned');
    expect([await purse(), await holdOf(depositId)]).toEqual([
      [0n, paid],
      ['open', '10000', '10000'],
    ]);
  });

  it('of more than is held is refused, and changes nothing', async () => {
    await expect(refund(paid + 1n)).rejects.toMatchObject({ code: 'BALANCE_INSUFFICIENT' });
    expect([await purse(), await holdOf(depositId)]).toEqual([
      [0n, paid],
      ['open', '10000', '10000'],
    ]);
  });

  it('is taken by as many at once as it covers', async () => {
    const taken = await Promise.allSettled(Array.from({ length: 6 }, () => refund(3_000n)));
    expect(taken.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect([await purse(), await holdOf(depositId)]).toEqual([
      [0n, paid],
      ['open', '1000', '1000'],
    ]);
    expect((await getPaymentOrThrow(test.db, depositId)).state).toBe('succeeded');
  });
});
