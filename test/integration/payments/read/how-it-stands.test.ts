import { insertMerchant } from '../../../support/store/rows';
import { ended } from '../../../support/payments/timeline';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { deposit, testContext } from '../../../support/verify/books-support';

/** Only the printed output of a run on another machine is available. */
describe('a payment that a test waits for without success', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('is printed with its whole history', async () => {
    const { db } = database;
    const merchantId = await insertMerchant(db);
    const id = await deposit(testContext(db), { merchantId }, 'initiating', 'pending');
    const reported = await ended(db, id, ['succeeded'], 20).then(
      () => '',
      (error: unknown) => String(error),
    );
    expect(reported).toContain(`payment ${id} to be succeeded, where it stands so: {`);
    expect(JSON.parse(reported.slice(reported.indexOf('{')))).toMatchObject({
      payment: { state: 'pending', clock_ahead_ms: '0' },
      log: [
        { from_state: 'received', to_state: 'initiating' },
        { from_state: 'initiating', to_state: 'pending' },
      ],
      ...{ attempts: [], inbox: [], cases: [], outbox: [] },
    });
  });
});
