/** What test/support/global-setup.ts has started, as tests use it. */
import { randomBytes } from 'node:crypto';
import { createSchema, dropSchema } from '../../src/ops/services/schema';
import { openDatabase, type Database } from '../../src/store/database';
import { migrate } from '../../src/store/migrations';

export interface TestDatabase {
  url: string;
  db: Database;
  /** Closes the pool and drops the database. */
  drop(): Promise<void>;
}

/** A migrated database of the caller's own. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const adminUrl = named('MALIPO_TEST_DATABASE_URL');
  const name = `test_${randomBytes(6).toString('hex')}`;
  const url = await createSchema(adminUrl, name);
  const db = openDatabase(url);
  await migrate(db);
  return {
    url,
    db,
    async drop() {
      await db.destroy();
      await dropSchema(adminUrl, name);
    },
  };
}

export function testTemporalAddress(): string {
  return named('MALIPO_TEST_TEMPORAL_ADDRESS');
}

function named(variable: string): string {
  const value = process.env[variable];
  if (!value) throw new Error(`${variable} is not set: tests run with jest, whose global setup sets it`);
  return value;
}
