import { checks } from '../../src/ops/verify/verify';
import type { Database } from '../../src/store/database';
import { createTestDatabase, type TestDatabase } from '../support/services';
import { withContested, writeBooks, type Books } from './books';
import { corruptions } from './corruptions';

let test: TestDatabase;
let books: Books;
beforeAll(async () => {
  test = await createTestDatabase();
  books = await withContested(await writeBooks(test.db));
  await disarm(test.db);
});
afterAll(() => test.drop());

/** What the database itself refuses could still happen after a restore or by another hand, so it is taken away here. */
async function disarm(db: Database): Promise<void> {
  for (const table of ['ledger_entries', 'ledger_postings', 'payment_log']) {
    for (const action of ['update', 'delete']) await db.raw(`DROP TRIGGER ${table}_no_${action}`);
  }
  await db.raw('ALTER TABLE ledger_entries DROP KEY once');
  await db.raw('ALTER TABLE inbox DROP KEY one_event');
  await db.raw('ALTER TABLE payments DROP KEY one_workflow');
  const [constraints] = (await db.raw(
    `SELECT TABLE_NAME AS on_table, CONSTRAINT_NAME AS name FROM information_schema.TABLE_CONSTRAINTS
     WHERE CONSTRAINT_SCHEMA = DATABASE() AND CONSTRAINT_TYPE = 'CHECK'
       AND TABLE_NAME IN ('ledger_accounts', 'ledger_postings')`,
  )) as [{ on_table: string; name: string }[]];
  for (const { on_table: table, name } of constraints)
    await db.raw(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
}

class Undo extends Error {}

describe.each(corruptions)('$what', ({ seenBy, plant }) => {
  it(`is seen by ${seenBy.join(', ')} and by no other check`, async () => {
    const broken = new Map<string, string[]>();
    let offender = '';
    const planted = test.db.transaction(async (trx) => {
      offender = await plant(trx, books);
      for (const { id, find } of checks) {
        if (id === 'L7') continue;
        const violations = await find({ trx, rails: books.context.rails });
        if (violations.length > 0)
          broken.set(
            id,
            violations.map((violation) => violation.id),
          );
      }
      throw new Undo();
    });
    await expect(planted).rejects.toThrow(Undo);
    expect([...broken.keys()].sort()).toEqual([...seenBy].sort());
    expect(broken.get(seenBy[0] ?? '')).toContain(offender);
  });
});

it('plants a corruption for every check', () => {
  const planted = new Set(['L7', ...corruptions.flatMap(({ seenBy }) => seenBy.slice(0, 1))]);
  expect([...planted].sort()).toEqual(checks.map(({ id }) => id).sort());
});
