/** Whether `malipo doctor` reports a database that answers and takes no writes. */
import { databaseCheckups, takesNoWrites } from '../../../src/cli/doctor/database-checkups';
import type { Patient } from '../../../src/cli/doctor/checkup';
import { openDatabase, type Database } from '../../../src/store/database';
import { createTestDatabase, type TestDatabase } from '../../support/database';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

function examine(db: Database) {
  return databaseCheckups.find(({ name }) => name === 'writes')?.examine({ db } as Patient);
}

/** With one connection of the service's account: a missing privilege would be a fault. */
async function withService<T>(work: (db: Database) => Promise<T>): Promise<T> {
  const db = openDatabase(test.url, { poolMax: 1 });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

it('writes, and says that it could, each time', async () => {
  const found = await withService(async (db) => [await examine(db), await examine(db)]);
  expect(found).toEqual(Array(2).fill({ level: 'ok', sentence: 'The database takes writes.' }));
});

it('reports a database that is read-only', async () => {
  const found = await withService(async (db) => {
    await db.raw('SET SESSION TRANSACTION READ ONLY');
    return examine(db);
  });
  expect(found).toEqual({
    level: 'fault',
    sentence: `${takesNoWrites}: it is read-only.`,
    remedy: 'docs/connections.md',
  });
});

it('reports a write that does not end', async () => {
  const found = await withService((db) =>
    test.db.transaction(async (trx) => {
      await trx.raw('SELECT * FROM rate_limit_buckets FOR UPDATE');
      return examine(db);
    }),
  );
  expect(found).toMatchObject({
    level: 'fault',
    sentence: expect.stringContaining(`${takesNoWrites}: `) as unknown,
  });
});
