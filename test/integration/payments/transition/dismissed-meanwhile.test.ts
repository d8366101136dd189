/** A payment that an operator marks as no duplicate while its provider is queried. */
import { randomUUID } from 'node:crypto';
import { dismissDuplicate } from '../../../../src/payments/transition/duplicate-payments';
import { duplicatesOf } from '../../../../src/payments/read/duplicates';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { review } from '../../../../src/payments/resolve/review';
import { insertMerchant, insertPayment } from '../../../support/store/rows';
import { expectClean } from '../../../support/expect-clean';
import { openCasesOf } from '../../../support/payments/timeline';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { transitionTo } from '../../../support/verify/books-support';
import { fakeContext } from '../../../support/payments/fakes';

describe('a duplicate that is dismissed during a review', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(async () => {
    await expectClean({ db: database.db });
    await database.drop();
  });

  it("stays dismissed, and stores the provider's result", async () => {
    const { db } = database;
    const context = fakeContext(db);
    const { deposit } = context.rails.get('stk').operations;
    if (!deposit) throw new Error('the rail takes no deposits');
    deposit.purchase = { reference: ['account_reference'] };
    deposit.policy.afterSuccessChecksMs = [1_000];
    const merchant_id = await insertMerchant(db);
    const paid = async () => {
      const named = { account_reference: 'ORDER-77', provider_reference: randomUUID() };
      const id = await insertPayment(db, { merchant_id, ...named });
      for (const state of ['initiating', 'pending', 'succeeded'] as const)
        await transitionTo(context, id, state);
      return id;
    };
    await paid();
    const second = await paid();
    deposit.retrieveStatus = async () => {
      const [found] = await duplicatesOf(db, second);
      if (found) await dismissDuplicate(db, found, { by: 'amina', reason: 'right' }, () => Promise.resolve());
      return {
        ...{ kind: 'refunded', code: '0', text: 'a part went back', currency: 'KES' },
        ...{ paidMinor: 125_000n, returnedMinor: 1_000n, details: { reported: 'since' } },
      };
    };
    await review(context, {
      paymentId: second,
      ...{ cause: 'check', patient: true, ask: (_rail, call) => call() },
    });
    const payment = await getPaymentOrThrow(db, second);
    expect([payment.state, payment.details['reported']]).toEqual(['refunded', 'since']);
    expect(payment.details).not.toHaveProperty('possible_duplicate_of');
    expect(await openCasesOf(db, second)).toEqual([]);
  });
});
