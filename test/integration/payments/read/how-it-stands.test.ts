import { insertMerchant } from '../../../support/store/rows';
import { ended } from '../../../support/payment-story';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { deposit, testContext } from '../../../support/verify/books-support';

/** Of a run on another machine nothing is left but what it printed. */
describe('a payment that a test waits for in vain', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('is told of with all that it went through', async () => {
    const { db } = database;
    const merchantId = await insertMerchant(db);
    const id = await deposit(testContext(db), { merchantId }, 'initiating', 'pending');
    const told = await ended(db, id, ['succeeded'], 20).then(
      () => '',
      (error: unknown) => String(error),
    );
    expect(told).toContain(`payment ${id} to be succeeded, where it stands so: {`);
    expect(JSON.parse(told.slice(told.indexOf('{')))).toMatchObject({
      payment: { state: 'pending', clock_ahead_ms: '0' },
      log: [
        { from_state: 'received', to_state: 'initiating' },
        { from_state: 'initiating', to_state: 'pending' },
      ],
      ...{ attempts: [], inbox: [], cases: [], outbox: [] },
    });
  });
});
