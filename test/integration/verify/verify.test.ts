import { checks, verify, inSnapshot } from '../../../src/verify/verify';
import { railsOf } from '../../../src/rail-kit/context';
import type { Operation } from '../../../src/rail-kit/rail';
import type { Database } from '../../../src/store/database';
import { unannouncedEndings } from '../../../src/verify/event-checks';
import { everything } from '../../../src/verify/check';
import { withoutTrigger } from '../ledger/digested-days';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { writeBooks, type Books } from '../../support/verify/books';
import { transitionTo } from '../../support/verify/books-support';

let test: TestDatabase;
let books: Books;
beforeEach(async () => {
  test = await createTestDatabase();
  books = await writeBooks(test.db);
});
afterEach(() => test.drop());

const tablesThatGrow = [
  'ledger_entries',
  'ledger_postings',
  'payment_log',
  'audit_log',
  'audit_rows',
] as const;

const brokenIn = async () =>
  (await verify(test.db, books.context.rails)).checks.filter(({ violations }) => violations.length > 0);

describe('malipo verify', () => {
  it('finds nothing in books that are right', async () => {
    const report = await verify(test.db, books.context.rails);
    expect(report.checks.filter(({ violations }) => violations.length > 0)).toEqual([]);
    expect(report).toMatchObject({ clean: true, took_ms: expect.any(Number) });
    expect(report.checks.map(({ id }) => id)).toEqual(checks.map(({ id }) => id));
  });

  it('names the payment and its violation', async () => {
    await test.db('payments').where({ payment_id: books.pending }).update({ state: 'queued' });
    const report = await verify(test.db, books.context.rails);
    expect(report.clean).toBe(false);
    expect(await brokenIn()).toEqual([
      {
        id: 'P8',
        promise: expect.any(String),
        violations: [{ id: books.pending, detail: 'is queued, but its log ends with pending' }],
        took_ms: expect.any(Number),
      },
    ]);
  });

  it('requires no digest for the days before the first posting', async () => {
    await test.db.raw('UPDATE knex_migrations SET migration_time = migration_time - INTERVAL 9 DAY');
    expect(await brokenIn()).toEqual([]);
  });

  it('accepts a problem that has an open case', async () => {
    const long = new Date(Date.now() - 3_600_000);
    await test
      .db('payments')
      .where({ payment_id: books.pending })
      .update({ created_at: long, accepted_at: long, updated_at: long });
    await test.db('inbox').insert({
      rail: 'loud',
      event_key: Buffer.alloc(32),
      payment_id: books.pending,
      body: '{}',
      state: 'new',
      received_at: long,
      processed_at: long,
    });
    expect((await brokenIn()).map(({ id }) => id)).toEqual(['E1', 'V1']);
    await test.db('cases').insert({
      payment_id: books.pending,
      reason: 'success_unconfirmed',
      detail: 'not asked',
      opened_at: new Date(),
      open_key: 'x',
    });
    expect(await brokenIn()).toEqual([]);
  });

  it('finds each append-only table that can be changed (L7)', async () => {
    for (const table of tablesThatGrow)
      await withoutTrigger(test.db, table, 'update', async () => {
        expect(await brokenIn()).toEqual([
          {
            id: 'L7',
            promise: expect.any(String),
            violations: [{ id: table, detail: 'no trigger rejects UPDATE' }],
            took_ms: expect.any(Number),
          },
        ]);
      });
  });

  it('asks the rail of each payment whether it sends a webhook', async () => {
    const notifies = books.context.rails.get('loud').operations.deposit;
    if (!notifies) throw new Error('the rail takes no deposits');
    const sendsWebhook: Operation['sendsWebhook'] = (payment) =>
      payment.details['polled'] !== 'yes' && notifies.sendsWebhook(payment);
    const rails = railsOf([
      { ...books.context.rails.get('loud'), operations: { deposit: { ...notifies, sendsWebhook } } },
    ]);
    for (const id of [books.succeeded, books.secondSucceeded])
      await test.db('outbox').where({ payment_id: id, to_state: 'succeeded' }).delete();
    await test
      .db('payments')
      .where({ payment_id: books.secondSucceeded })
      .update({ details: '{"polled":"yes"}' as never });
    const violations = await inSnapshot(test.db, (trx) =>
      unannouncedEndings({ trx, rails, scope: everything }),
    );
    const ofThisRail = violations.filter(({ id }) => [books.succeeded, books.secondSucceeded].includes(id));
    expect(ofThisRail.map(({ id }) => id)).toEqual([books.succeeded]);
  });

  it('passes while payments are in flight', async () => {
    await inSnapshot(test.db, async (trx) => {
      const before = await trx('payments').where({ payment_id: books.pending }).first('state');
      await transitionTo(books.context, books.pending, 'succeeded');
      const after = await trx('payments').where({ payment_id: books.pending }).first('state');
      expect([before?.state, after?.state]).toEqual(['pending', 'pending']);
    });
    expect(await brokenIn()).toEqual([]);
  });

  it('changes nothing, and restores the isolation level of its connection', async () => {
    const refused = inSnapshot(test.db, (trx) => trx('cases').delete());
    await expect(refused).rejects.toMatchObject({ errno: 1792 });
    await verify(test.db, books.context.rails);
    for (let i = 0; i < 3; i += 1) expect(await isolationOf(test.db)).toBe('READ-COMMITTED');
  });
});

async function isolationOf(db: Database): Promise<string> {
  // MariaDB 10.11 and MySQL 8 use different names for it.
  const [[row]] = (await db.raw(
    "SHOW VARIABLES WHERE Variable_name IN ('tx_isolation', 'transaction_isolation')",
  )) as [{ Value: string }[]];
  return row?.Value ?? '';
}
