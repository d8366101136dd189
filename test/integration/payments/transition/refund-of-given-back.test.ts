/** Refunds of ours beside what the provider gives back by itself, as both are booked and told with their deposit. */
import { refundTold, wentBackOf } from '../../../../src/payments/transition/reported-amounts';
import { movePayment, prepareMove } from '../../../../src/payments/transition/transition';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { insertMerchant } from '../../../support/store/rows';
import { expectClean } from '../../../support/expect-clean';
import { openCasesOf } from '../../../support/payment-story';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { deposit, moveAlong, testContext } from '../../../support/verify/books-support';
import { askedRefund } from '../asked-refund';

describe('a deposit of 100.00 that is refunded by us', () => {
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
    for (const state of ['initiating', 'pending'] as const) await moveAlong(context(), id, state);
    return id;
  }
  async function givenBack(minor: string): Promise<void> {
    const row = await getPaymentOrThrow(test.db, depositId);
    await prepareMove(test.db, row, 'refunded');
    await test.db.transaction((trx) =>
      movePayment(trx, context(), row, {
        to: 'refunded',
        cause: 'query',
        changes: { given_back_minor: minor },
      }),
    );
  }

  it('after the provider gave all of it back is booked, and a case', async () => {
    const id = await refund(4_000n);
    await givenBack('10000');
    expect(await openCasesOf(test.db, depositId)).toEqual([]);
    await moveAlong(context(), id, 'succeeded');
    expect(wentBackOf(await getPaymentOrThrow(test.db, depositId)).totalMinor).toBe(14_000n);
    expect(await openCasesOf(test.db, depositId)).toEqual(['given_back_differs']);
  });

  it('beside what the provider gave back is no case as long as both are no more than all of it', async () => {
    const id = await refund(4_000n);
    await givenBack('6000');
    await moveAlong(context(), id, 'succeeded');
    expect(await openCasesOf(test.db, depositId)).toEqual([]);
  });

  it('is told as what is still gone once the refund comes back', async () => {
    await givenBack('3000');
    const id = await refund(1_000n);
    await moveAlong(context(), id, 'succeeded');
    expect(refundTold(await getPaymentOrThrow(test.db, depositId))).toMatchObject({
      refund_amount: 10,
      refunded_total: 40,
    });
    await moveAlong(context(), id, 'returned');
    expect(refundTold(await getPaymentOrThrow(test.db, depositId))).toMatchObject({
      refund_amount: 30,
      refunded_total: 30,
      debited_amount: 30,
      debited_total: 30,
    });
  });
});
