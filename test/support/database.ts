/** The database server that test/support/global-setup.ts has started, as tests use it. */
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
  /** Of the service's account, as every process under test has it: a privilege that is missing fails a test. */
  url: string;
  /** Of the account that owns the schema. */
  migrateUrl: string;
  /** Of an account that may do anything. */
  adminUrl: string;
  /** The test's own handle, as the administrator: tests plant what the service may not. */
  db: Database;
  /** Closes the pool and drops the database. */
  drop(): Promise<void>;
}

/** How long a test waits for a connection: a busy machine may keep many of its callers waiting for a while. */
export const testPatienceMs = 45_000;

/**
 * A database of the caller's own, with accounts of its own; migrated unless told. A migrated one may have been somebody's
 * before, who has left it as it was made.
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

/** A test may keep many rows from everybody, each in a transaction of its own, and look on meanwhile. */
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
