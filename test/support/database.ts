/** The database server of test/support/global-setup.ts, for tests. */
import { randomBytes } from 'node:crypto';
import {
  createAccounts,
  createSchema,
  dropAccount,
  dropSchema,
  type Login,
} from '../../tools/sandbox/services/schema';
import { openDatabase, type Database } from '../../src/store/database';
import { prepareSchema } from '../../src/store/prepare-schema';
import { named } from './named';
import { leaveAsSpare, noteAsMade, takeSpare, type MadeDatabase } from './spare-databases';

export interface TestDatabase {
  /** The service's account, as for every process under test: a missing privilege fails a test. */
  url: string;
  /** The account that owns the schema. */
  migrateUrl: string;
  /** The account with all privileges. */
  adminUrl: string;
  /** The test's own handle, as the administrator: tests write rows that the service cannot write. */
  db: Database;
  /** Closes the pool and drops the database. */
  drop(): Promise<void>;
}

/** How long a test waits for a connection: on a busy machine many callers wait for a while. */
export const testPatienceMs = 45_000;

/**
 * A database for this caller only, with its own accounts; migrated by default. A migrated one may come from an earlier
 * test file that left it unchanged.
 */
export async function createTestDatabase({ migrated = true } = {}): Promise<TestDatabase> {
  const made = (migrated ? takeSpare() : undefined) ?? (await makeDatabase(migrated));
  const { adminUrl } = made;
  const db = openTestDatabase(adminUrl);
  return {
    url: made.serviceUrl,
    migrateUrl: made.migrateUrl,
    adminUrl,
    db,
    async drop() {
      await db.destroy();
      if (!(await leaveAsSpare(made))) await dropDatabase(made);
    },
  };
}

/** A test may lock many rows, each in its own transaction, and read at the same time. */
export const openTestDatabase = (url: string): Database =>
  openDatabase(url, { poolMax: 24, patienceMs: testPatienceMs });

async function makeDatabase(migrated: boolean): Promise<MadeDatabase> {
  const serverUrl = named('MALIPO_TEST_DATABASE_URL');
  const name = `test_${randomBytes(6).toString('hex')}`;
  const adminUrl = await createSchema(serverUrl, name);
  const login = (user: string): Login => ({ user, password: randomBytes(12).toString('hex'), host: '%' });
  const logins = { migrate: login(`${name}_m`), service: login(`${name}_s`) };
  const accounts = await createAccounts(serverUrl, name, logins);
  const made = { ...accounts, name, adminUrl, logins: Object.values(logins) };
  if (migrated) {
    await prepareSchema(accounts);
    await noteAsMade(made);
  }
  return made;
}

async function dropDatabase({ name, logins }: MadeDatabase): Promise<void> {
  const serverUrl = named('MALIPO_TEST_DATABASE_URL');
  await dropSchema(serverUrl, name);
  for (const account of logins) await dropAccount(serverUrl, account);
}
