/** Migrates a database to the newest schema, and gives the service's account exactly the privileges that it needs. */
import { setTimeout as delay } from 'node:timers/promises';
import { differenceOf, grantsOf, type Grant } from './account-grants';
import { openDatabase, type Database } from './database';
import { schemaOf, withSchema } from './database-address';
import { applyMigrations, type Applied, type ApplyOptions } from './migrating/apply-migrations';
import { NotMigrated } from './migrating/not-migrated';
import type { Statements } from './migrations/migration';

export interface SchemaAccounts {
  /** Of the account that owns the schema and may grant on it. */
  migrateUrl: string;
  /** Of the account of the API, the worker and the command line. */
  serviceUrl: string;
}

/** Nothing is served before this is done, so it waits for a busy machine. */
const patienceMs = 30_000;

/** How many seconds to wait for readers of the books before nothing is changed. */
const readersSecondsMax = 10;
/** At most this long at once, because payments wait behind this statement. */
const lockWaitSeconds = 1;
const lockWaitTimeout = 1205;

export interface PrepareOptions extends Omit<ApplyOptions, 'prepare' | 'finish'> {
  /** How many seconds to wait for a reader of the books. */
  readersSeconds?: number;
}

/**
 * One account for both is possible. Then nothing is granted, and `malipo doctor` reports that it has too many rights.
 */
export async function prepareSchema(
  { migrateUrl, serviceUrl }: SchemaAccounts,
  { readersSeconds = readersSecondsMax, ...options }: PrepareOptions = {},
): Promise<Applied> {
  // One of the two connections holds the lock meanwhile.
  const db = openDatabase(migrateUrl, { poolMax: 2, patienceMs });
  try {
    return await applyMigrations(db, {
      ...options,
      prepare: (session) => untilUnread(session, readersSeconds),
      async finish(isNewer) {
        // Newer processes beside this version may need rights that it does not know, so it revokes nothing.
        if (migrateUrl !== serviceUrl) await grantToService(db, serviceUrl, { revokes: !isNewer });
      },
    });
  } finally {
    await db.destroy();
  }
}

/**
 * Checks before the first change that no process reads the books. Such a reader uses one snapshot for minutes, and fails if
 * a table that it has not read yet is altered.
 * @throws NotMigrated if a reader is still there.
 */
async function untilUnread(session: Statements, seconds: number): Promise<void> {
  const [books] = (await session.raw("SHOW TABLES LIKE 'ledger_postings'")) as [unknown[]];
  if (books.length === 0) return;
  await session.raw('SET SESSION lock_wait_timeout = ?', [Math.min(lockWaitSeconds, seconds)]);
  const until = performance.now() + seconds * 1_000;
  for (;;) {
    try {
      await session.raw('LOCK TABLES payments WRITE, ledger_postings WRITE');
      await session.raw('UNLOCK TABLES');
      return;
    } catch (error) {
      if ((error as { errno?: number }).errno !== lockWaitTimeout) throw error;
      if (performance.now() > until) {
        throw new NotMigrated(
          'the tables are in use by a long read: malipo verify, the nightly verification of a worker, or a dump; ' +
            'nothing was changed: migrate again later',
          { cause: error },
        );
      }
      await delay(lockWaitSeconds * 1_000);
    }
  }
}

async function grantToService(
  db: Database,
  serviceUrl: string,
  { revokes }: { revokes: boolean },
): Promise<void> {
  // Before its first grant the account can log in, but not use the schema.
  const service = openDatabase(withSchema(serviceUrl, ''), { poolMax: 1, patienceMs });
  try {
    const schema = schemaOf(serviceUrl);
    const account = await accountOf(service);
    if (account === (await accountOf(db))) return;
    const difference = async () => differenceOf(await grantsOf(service, schema));
    const { missing, excess } = await difference();
    const there = await namesIn(db);
    const grantAll = async (grants: Grant[]) => {
      // Objects that do not exist yet get their grants later.
      for (const grant of grants) if (there.has(grant.on)) await change(db, 'GRANT', grant, schema, account);
    };
    // Grant first, then revoke, so that running processes never lack what they need.
    await grantAll(missing);
    if (!revokes) return;
    for (const grant of excess) {
      // ALL PRIVILEGES can only be used alone.
      for (const privilege of grant.privileges) {
        await change(db, 'REVOKE', { ...grant, privileges: [privilege] }, schema, account);
      }
      // Revoking all privileges on a table also revokes those that the account keeps.
      await grantAll((await difference()).missing);
    }
  } finally {
    await service.destroy();
  }
}

async function namesIn(db: Database): Promise<Set<string>> {
  const [rows] = (await db.raw(
    `SELECT TABLE_NAME AS name FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()
     UNION SELECT ROUTINE_NAME FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = DATABASE()`,
  )) as unknown as [{ name: string }[]];
  return new Set(rows.map(({ name }) => name));
}

/** As the server matched it, for example `malipo@%`. */
async function accountOf(db: Database): Promise<string> {
  const [[{ account }]] = (await db.raw('SELECT CURRENT_USER() AS account')) as unknown as [
    [{ account: string }],
  ];
  return account;
}

async function change(
  db: Database,
  action: 'GRANT' | 'REVOKE',
  { kind, on, privileges }: Grant,
  schema: string,
  account: string,
): Promise<void> {
  const target = kind === 'SCHEMA' ? '??.*' : kind === 'PROCEDURE' ? 'PROCEDURE ??.??' : '??.??';
  const names = kind === 'SCHEMA' ? [schema.replaceAll(/[_%]/g, '\\$&')] : [schema, on];
  const at = account.lastIndexOf('@');
  await db.raw(`${action} ${privileges.join(', ')} ON ${target} ${action === 'GRANT' ? 'TO' : 'FROM'} ?@?`, [
    ...names,
    account.slice(0, at),
    account.slice(at + 1),
  ]);
}
