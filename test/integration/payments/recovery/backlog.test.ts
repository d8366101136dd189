import { backlogAgeMs } from '../../../../src/payments/recovery/backlog';
import type { Database } from '../../../../src/store/database';
import { insertPayment } from '../../../support/store/rows';
import { createTestDatabase, type TestDatabase } from '../../../support/database';

describe('the age of the backlog', () => {
  let database: TestDatabase;
  let db: Database;
  beforeEach(async () => {
    database = await createTestDatabase();
    db = database.db;
  });
  afterEach(() => database.drop());

  const ago = (ms: number) => new Date(Date.now() - ms);
  const waiting = (count: number, ms: number, changes = {}) =>
    Promise.all(Array.from({ length: count }, () => insertPayment(db, { updated_at: ago(ms), ...changes })));

  it('is that of the payments that no worker has started, from ten of them on', async () => {
    await waiting(9, 20_000);
    expect(await backlogAgeMs(db)).toBe(0);
    await waiting(1, 1_500);
    const ageMs = await backlogAgeMs(db);
    expect(ageMs).toBeGreaterThanOrEqual(1_500);
    expect(ageMs).toBeLessThan(20_000);
  });

  it.each([
    ['refunds that wait for their turn', { parent_id: '00000000-0000-7000-8000-000000000000' }],
    ['payments that were begun', { state: 'pending' as const }],
    ['payments that are held back', { next_check_at: new Date(Date.now() + 150_000) }],
    ['payments that the sweeper will end', { updated_at: new Date(Date.now() - 40_000) }],
  ])('does not count %s', async (_what, changes) => {
    await waiting(30, 3_000, changes);
    expect(await backlogAgeMs(db)).toBe(0);
  });

  it('is that of the unread notifications, from twenty of them on', async () => {
    const paymentId = await insertPayment(db, { state: 'pending' });
    const unread = (n: number) => ({
      rail: 'stk',
      event_key: Buffer.alloc(32, n),
      payment_id: paymentId,
      body: '{}',
      state: 'new' as const,
      received_at: ago(4_000),
    });
    await db('inbox').insert(Array.from({ length: 19 }, (_, n) => unread(n)));
    expect(await backlogAgeMs(db)).toBe(0);
    // Notifications that anyone may send must not cause load shedding.
    const unverifiedEvents = Array.from({ length: 50 }, (_, n) => ({
      ...unread(100 + n),
      follow_at: ago(4_000),
    }));
    await db('inbox').insert(unverifiedEvents);
    expect(await backlogAgeMs(db)).toBe(0);
    await db('inbox').insert(unread(19));
    expect(await backlogAgeMs(db)).toBeGreaterThanOrEqual(4_000);
  });
});
