/** A deposit that is disputed, and held, may still be refunded by its merchant: out of what is held. */
import { balanceOf } from '../../src/ledger/balances';
import { insertMerchant } from '../store/rows';
import { holdKeysOf } from '../../src/payments/money-effects';
import { getPaymentOrThrow } from '../../src/payments/payments';
import { writePayment } from '../../src/payments/write-payment';
import { expectClean } from '../support/expect-clean';
import { createTestDatabase, type TestDatabase } from '../support/services';
import { contest, deposit, moveAlong, testContext } from '../verify/books-support';
import { callOf } from './fakes';

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
    const owner = { merchant_id: merchantId, rail: 'loud', currency: 'KES' as const, country: null };
    const { payment_id: id } = await writePayment(testContext(test.db), await callOf(test.db, merchantId), {
      rail: 'loud',
      kind: 'refund',
      provider: 'test',
      currency: 'KES',
      requestedMinor: amountMinor,
      parentId: depositId,
      hold: { ...holdKeysOf('refund', owner), whenShort: 'BALANCE_INSUFFICIENT' },
    });
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
