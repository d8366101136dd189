/** Brings a database to the newest schema, and the service's account to exactly the privileges it needs. */
import { setTimeout as delay } from 'node:timers/promises';
import { differenceOf, grantsOf, type Grant } from './account-grants';
import { openDatabase, type Database } from './database';
import { schemaOf, withSchema } from './database-address';
import { applyMigrations, type Applied, type ApplyOptions } from './migrating/apply-migrations';
import { NotMigrated } from './migrating/not-migrated';
import type { Statements } from './migrations/migration';

export interface SchemaAccounts {
  /** Of the account that owns the schema and may grant in it. */
  migrateUrl: string;
  /** Of the account that the API, the worker and the command line use. */
  serviceUrl: string;
}

/** Nobody is served before this is done, so that a busy machine is waited for. */
const patienceMs = 30_000;

/** How long the books may be looked at, in seconds, before nothing is changed. */
const readersSecondsMax = 10;
/** At once no longer than this: whoever pays waits behind us. */
const lockWaitSeconds = 1;
const lockWaitTimeout = 1205;

export interface PrepareOptions extends Omit<ApplyOptions, 'prepare' | 'finish'> {
  /** For how long, in seconds, a look at the books is waited for. */
  readersSeconds?: number;
}

/** One account for both is possible, and then nothing is granted: `malipo doctor` says that it can do too much. */
export async function prepareSchema(
  { migrateUrl, serviceUrl }: SchemaAccounts,
  { readersSeconds = readersSecondsMax, ...options }: PrepareOptions = {},
): Promise<Applied> {
  // One connection holds the lock meanwhile.
  const db = openDatabase(migrateUrl, { poolMax: 2, patienceMs });
  try {
    return await applyMigrations(db, {
      ...options,
      prepare: (session) => untilNobodyReads(session, readersSeconds),
      async finish(isNewer) {
        // What newer processes may do that run beside this version, it does not know: it takes nothing away.
        if (migrateUrl !== serviceUrl) await grantToService(db, serviceUrl, { revokes: !isNewer });
      },
    });
  } finally {
    await db.destroy();
  }
}

/**
 * A look at the books reads for minutes on one snapshot, and is spoilt by a change of a table that it has not come to yet.
 * Asked before the first change.
 * @throws NotMigrated when somebody still reads.
 */
async function untilNobodyReads(session: Statements, seconds: number): Promise<void> {
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
          'the tables are being read for long, by malipo verify, the nightly look of a worker or a dump; ' +
            'nothing was changed: migrate again when that is over',
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
  // Before its first grant the account may log in, but not into the schema.
  const service = openDatabase(withSchema(serviceUrl, ''), { poolMax: 1, patienceMs });
  try {
    const schema = schemaOf(serviceUrl);
    const account = await accountOf(service);
    if (account === (await accountOf(db))) return;
    const difference = async () => differenceOf(await grantsOf(service, schema));
    const { missing, excess } = await difference();
    const there = await namesIn(db);
    const grantAll = async (grants: Grant[]) => {
      // What is not there yet is granted once it is.
      for (const grant of grants) if (there.has(grant.on)) await change(db, 'GRANT', grant, schema, account);
    };
    // In this order, so that processes that run meanwhile do not lack what they need.
    await grantAll(missing);
    if (!revokes) return;
    for (const grant of excess) {
      // ALL PRIVILEGES can only be named alone.
      for (const privilege of grant.privileges) {
        await change(db, 'REVOKE', { ...grant, privileges: [privilege] }, schema, account);
      }
      // Revoking all privileges on a table also revokes what the account keeps.
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

/** As the server matched it, such as `malipo@%`. */
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
