/** Our refunds together with the provider's own, in the books and webhooks of their deposit. */
import { refundAmounts, returnedTotals } from '../../../../src/payments/transition/reported-amounts';
import { applyTransition, prepareTransition } from '../../../../src/payments/transition/transition';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { insertMerchant } from '../../../support/store/rows';
import { expectClean } from '../../../support/expect-clean';
import { openCasesOf } from '../../../support/payments/timeline';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { deposit, transitionTo, testContext } from '../../../support/verify/books-support';
import { askedRefund } from '../requested-refund';

describe('a deposit of 100.00 that we refund', () => {
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
  });
  afterEach(() => expectClean({ db: test.db }));

  const context = () => {
    const made = testContext(test.db);
    const { refund } = made.rails.get('loud').operations;
    if (!refund) throw new Error('the rail takes no refunds');
    refund.isShownWithDeposit = true;
    return made;
  };
  async function refund(amountMinor: bigint): Promise<string> {
    const id = await askedRefund(context(), { merchantId, depositId, amountMinor });
    for (const state of ['initiating', 'pending'] as const) await transitionTo(context(), id, state);
    return id;
  }
  async function wasReturned(minor: string): Promise<void> {
    const row = await getPaymentOrThrow(test.db, depositId);
    await prepareTransition(test.db, row, 'refunded');
    await test.db.transaction((trx) =>
      applyTransition(trx, context(), row, {
        to: 'refunded',
        cause: 'query',
        changes: { returned_minor: minor },
      }),
    );
  }

  it('after the provider refunded all of it is booked, and opens a case', async () => {
    const id = await refund(4_000n);
    await wasReturned('10000');
    expect(await openCasesOf(test.db, depositId)).toEqual([]);
    await transitionTo(context(), id, 'succeeded');
    expect(returnedTotals(await getPaymentOrThrow(test.db, depositId)).totalMinor).toBe(14_000n);
    expect(await openCasesOf(test.db, depositId)).toEqual(['refund_differs']);
  });

  it("beside the provider's own refunds opens no case while both are at most the whole", async () => {
    const id = await refund(4_000n);
    await wasReturned('6000');
    await transitionTo(context(), id, 'succeeded');
    expect(await openCasesOf(test.db, depositId)).toEqual([]);
  });

  it('is reported with the rest that is still refunded once the refund is returned', async () => {
    await wasReturned('3000');
    const id = await refund(1_000n);
    await transitionTo(context(), id, 'succeeded');
    expect(refundAmounts(await getPaymentOrThrow(test.db, depositId))).toMatchObject({
      refund_amount: 10,
      refunded_total: 40,
    });
    await transitionTo(context(), id, 'returned');
    expect(refundAmounts(await getPaymentOrThrow(test.db, depositId))).toMatchObject({
      refund_amount: 30,
      refunded_total: 30,
      debited_amount: 30,
      debited_total: 30,
    });
  });
});
