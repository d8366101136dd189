/** Brings a database to the newest schema, and the service's account to exactly the privileges it needs. */
import { differenceOf, grantsOf, type Grant } from './account-grants';
import { openDatabase, type Database } from './database';
import { schemaOf, withSchema } from './database-address';
import { migrate, pendingMigrations } from './migrations';

export interface SchemaAccounts {
  /** Of the account that owns the schema and may grant in it. */
  migrateUrl: string;
  /** Of the account that the API, the worker and the command line use. */
  serviceUrl: string;
}

/** Nobody is served before this is done, so that a busy machine is waited for. */
const patienceMs = 30_000;

/** How long a table may be read before nothing is changed. */
const lockWaitSecondsMax = 10;
const lockWaitTimeout = 1205;

/** One account for both is possible, and then nothing is granted: `malipo doctor` says that it can do too much. */
export async function prepareSchema(
  { migrateUrl, serviceUrl }: SchemaAccounts,
  lockWaitSeconds = lockWaitSecondsMax,
): Promise<string[]> {
  const db = openDatabase(migrateUrl, { poolMax: 1, patienceMs });
  try {
    const pending = await pendingMigrations(db);
    if (pending.length > 0) await untilNobodyReads(db, lockWaitSeconds);
    const applied = await migrate(db);
    if (migrateUrl !== serviceUrl) await grantToService(db, serviceUrl);
    return applied;
  } finally {
    await db.destroy();
  }
}

/**
 * A look at the books reads for minutes on one snapshot, which keeps every table as it is; what would change one waits,
 * and every statement behind it. Asked before the first change, because what is half changed cannot be begun again.
 * @throws an Error when somebody still reads.
 */
async function untilNobodyReads(db: Database, seconds: number): Promise<void> {
  if (!(await db.schema.hasTable('ledger_postings'))) return;
  await db.raw('SET SESSION lock_wait_timeout = ?', [seconds]);
  try {
    await db.raw('LOCK TABLES payments WRITE, ledger_postings WRITE');
    await db.raw('UNLOCK TABLES');
  } catch (error) {
    if ((error as { errno?: number }).errno !== lockWaitTimeout) throw error;
    throw new Error(
      'the tables are being read for long, by malipo verify, the nightly look of a worker or a dump; ' +
        'nothing was changed: migrate again when that is over',
      { cause: error },
    );
  } finally {
    await db.raw('SET SESSION lock_wait_timeout = DEFAULT');
  }
}

async function grantToService(db: Database, serviceUrl: string): Promise<void> {
  // Before its first grant the account may log in, but not into the schema.
  const service = openDatabase(withSchema(serviceUrl, ''), { poolMax: 1, patienceMs });
  try {
    const schema = schemaOf(serviceUrl);
    const account = await accountOf(service);
    if (account === (await accountOf(db))) return;
    const difference = async () => differenceOf(await grantsOf(service, schema));
    const { missing, excess } = await difference();
    const grantAll = async (grants: Grant[]) => {
      for (const grant of grants) await change(db, 'GRANT', grant, schema, account);
    };
    // In this order, so that processes that run meanwhile do not lack what they need.
    await grantAll(missing);
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
