/** The schema of 1.0.0, as its databases have it: later changes of it are migrations of their own. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../../src/store/database';
import { applyMigrations } from '../../../src/store/migrating/apply-migrations';
import { createTestDatabase, testPatienceMs } from '../../support/database';
import { releases } from '../../support/releases';
import { schemaOf } from '../../support/store/schema-of';

const file = join(releases[0] ?? '', 'schema.json');
// MySQL prints the same schema in other words.
const onMariadb = (process.env['MALIPO_MYSQL_SERVER'] ?? '') === '' ? it : it.skip;

onMariadb('the first migration creates the schema of 1.0.0', async () => {
  const database = await createTestDatabase({ migrated: false });
  const owner = openDatabase(database.migrateUrl, { poolMax: 1, patienceMs: testPatienceMs });
  try {
    expect(await applyMigrations(owner, { to: '001' })).toEqual({ applied: ['001-baseline'] });
    const { tables, triggers, routines } = await schemaOf(database.db);
    expect({ tables, triggers, routines }).toEqual(JSON.parse(readFileSync(file, 'utf8')));
  } finally {
    await owner.destroy();
    await database.drop();
  }
});
