import { createSweeper } from '../../../../src/payments/recovery/sweeper';
import * as claims from '../../../../src/payments/recovery/sweeper';
import { submitPayment } from '../../../../src/payments/submit/submit-payment';
import type { Transaction } from '../../../../src/store/database';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { insertOpenPayments, insertPayment } from '../../../support/store/rows';
import { rowsRead } from '../../../support/store/rows-read';
import { fakeContext, fakeEngine } from '../../../support/payments/fakes';

const many = 20_000;

describe(`the sweeper with ${many.toLocaleString('en')} open payments`, () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
    await insertOpenPayments(database.db, many);
  });
  afterAll(() => database.drop());

  it('wakes only due payments, and reads only their rows', async () => {
    const { db } = database;
    const context = fakeContext(db);
    const engine = fakeEngine(() => Promise.resolve('late'));
    const sweep = () => createSweeper(context, engine).sweep();
    const due = await insertPayment(db);
    await submitPayment(context, due);
    await db('payments')
      .where({ payment_id: due })
      .update({ next_check_at: new Date(Date.now() - 1_000) });
    expect(await sweep()).toBe(1);
    expect(engine.signalled).toEqual([due]);
    for (let n = 0; n < 5; n += 1) expect(await sweep()).toBe(0);

    const now = new Date();
    const of = { rail: 'stk', limit: 100 };
    for (const query of [
      (trx: Transaction) =>
        claims
          .dueChecks(trx, now, { ...of, isFinal: false })
          .forUpdate()
          .skipLocked(),
      (trx: Transaction) =>
        claims
          .dueChecks(trx, now, { ...of, isFinal: true })
          .forUpdate()
          .skipLocked(),
      (trx: Transaction) => claims.unreadEvents(trx, now, now),
      (trx: Transaction) => claims.unreadUnverifiedEvents(trx, now, now),
      (trx: Transaction) => claims.overdueWebhooks(trx, now, now),
    ]) {
      expect(await rowsRead(database.db, query)).toBeLessThan(20);
    }
    expect(
      await rowsRead(database.db, (trx) => trx('payments').where({ provider: 'nobody' })),
    ).toBeGreaterThan(many);
  });

  it('finds a batch of late checks by index, also of one rail beside a thousand of another', async () => {
    const { db } = database;
    const ids = await db('payments').limit(1_000).pluck('payment_id');
    const past = new Date(Date.now() - 1_000);
    await db('payments')
      .whereIn('payment_id', ids)
      .update({ is_final: 1, state: 'succeeded', rail: 'walletpay', next_check_at: past });
    const limit = 50;
    const readFor = (rail: string) =>
      rowsRead(db, (trx) =>
        claims.dueChecks(trx, new Date(), { rail, isFinal: true, limit }).forUpdate().skipLocked(),
      );
    expect(await readFor('walletpay')).toBeLessThan(3 * limit);
    expect(await readFor('stk')).toBeLessThan(20);
  });
});
