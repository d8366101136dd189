import { keyUses } from '../../../src/merchants/key-uses';
import { createMerchant } from '../../../src/merchants/merchants';
import { openDatabase, type Database } from '../../../src/store/database';
import { box } from '../../support/verify/books-support';
import { createTestDatabase, testPatienceMs, type TestDatabase } from '../../support/database';

let test: TestDatabase;
/** As in the API. */
let db: Database;
beforeAll(async () => {
  test = await createTestDatabase();
  db = openDatabase(test.url, { patienceMs: testPatienceMs });
});
afterAll(async () => {
  await db.destroy();
  await test.drop();
});

it('stores when a key was last used', async () => {
  const keys: string[] = [];
  for (const name of ['Duka', 'Soko'])
    keys.push((await createMerchant(db, box, { name, environment: 'sandbox' })).api_key);
  const [used = '', unused = ''] = keys;
  const uses = keyUses(db);
  uses.note(used);
  uses.note(used);
  await uses.write();
  const usedAt = async (key: string) =>
    (await db('api_keys').where({ api_key: key }).first('last_used_at'))?.last_used_at;
  expect([await usedAt(used), await usedAt(unused)]).toEqual([expect.any(Date), null]);
  await db('api_keys').where({ api_key: used }).update({ last_used_at: null });
  // A written use is not written again.
  await uses.write();
  expect(await usedAt(used)).toBeNull();
});
