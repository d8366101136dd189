/** Temporal and MySQL: found or started. */
import { randomBytes } from 'node:crypto';
import type { SchemaAccounts } from '../../src/store/prepare-schema';
import { removeDockerMysql } from './services/docker-mysql';
import type { FoundMysql } from './services/find-mysql';
import type { FoundTemporal } from './services/find-temporal';
import { mysqlServer, type MysqlService } from './services/mysql-server';
import { say, step } from './services/progress';
import { createAccounts, createSchema } from './services/schema';
import { ensureSearchAttributes } from './services/temporal-health';
import { temporalServer } from './services/temporal-server';
import type { Ports } from './ports';
import { schemaOf, withSchema } from '../../src/store/database-address';
import { readTemporalLine } from '../../src/config';
import { temporalOptionsOf } from '../../src/process/temporal-connection';
import { emptyFolder, type SandboxFolder } from './sandbox-folder';
import type { Supervisor } from './supervisor';

export interface Found {
  temporal: FoundTemporal;
  mysql: FoundMysql;
}

export interface Services {
  temporalAddress: string;
  temporalUiUrl: string;
  temporalNamespace: string;
  database: SchemaAccounts;
  /** Of our private database server; no process of the product gets it. */
  adminUrl?: string;
}

const databaseName = 'malipo';

export async function emptySandbox(folder: SandboxFolder, { mysql }: Found): Promise<void> {
  if (mysql.kind === 'docker') await removeDockerMysql(folder.mysql);
  await emptyFolder(folder);
}

export async function startServices(
  found: Found,
  folder: SandboxFolder,
  ports: Ports,
  supervise: Supervisor,
): Promise<Services> {
  const temporalNamespace = process.env.TEMPORAL_NAMESPACE ?? 'default';
  // MySQL first: the first to start stops last, and a worker may still write while Temporal stops.
  const mysql = await step('starting MySQL', () => startMysql(found.mysql, folder, ports, supervise));
  const temporalAddress = await step('starting Temporal', () =>
    startTemporal(found.temporal, folder, ports, supervise, temporalNamespace),
  );
  const temporalUiUrl = process.env.MALIPO_TEMPORAL_UI_URL ?? `http://127.0.0.1:${String(ports.temporalUi)}`;
  return { temporalAddress, temporalUiUrl, temporalNamespace, ...mysql };
}

async function startMysql(
  found: FoundMysql,
  folder: SandboxFolder,
  ports: Ports,
  supervise: Supervisor,
): Promise<Pick<Services, 'database' | 'adminUrl'>> {
  if (found.kind === 'external') {
    const database = await externalDatabase(found);
    const { host, pathname } = new URL(database.serviceUrl);
    say(`DATABASE_URL is set: the sandbox uses the database ${pathname.slice(1)} at ${host}`);
    return { database };
  }
  const mysql = await mysqlServer({
    found,
    folder: folder.mysql,
    port: ports.mysql,
    logFile: folder.log('mysql'),
  });
  await supervise.start(mysql);
  return { database: await createDatabase(mysql), adminUrl: mysql.adminUrl };
}

/** The schema on our private server, with its two accounts. */
export async function createDatabase({ adminUrl, loginHost: host }: MysqlService): Promise<SchemaAccounts> {
  await createSchema(adminUrl, databaseName);
  const login = (user: string) => ({
    user,
    // New at every start: only the processes of this start need them.
    password: randomBytes(24).toString('hex'),
    host,
  });
  return createAccounts(adminUrl, databaseName, {
    migrate: login('malipo_migrate'),
    service: login('malipo'),
  });
}

/** An external server, with one account or two: the database is created if one of them has the right. */
async function externalDatabase({
  url,
  migrateUrl,
}: FoundMysql & { kind: 'external' }): Promise<SchemaAccounts> {
  const named = (given: string) => (schemaOf(given) === '' ? withSchema(given, databaseName) : given);
  const accounts = { serviceUrl: named(url), migrateUrl: named(migrateUrl ?? url) };
  // If the account has no right to create it, the database must exist; otherwise the migration fails.
  await createSchema(accounts.migrateUrl, schemaOf(accounts.migrateUrl)).catch(() => undefined);
  return accounts;
}

async function startTemporal(
  found: FoundTemporal,
  folder: SandboxFolder,
  ports: Ports,
  supervise: Supervisor,
  namespace: string,
): Promise<string> {
  if (found.kind === 'external') {
    const line = {
      temporalAddress: found.address,
      temporalNamespace: namespace,
      temporalLine: readTemporalLine(process.env),
    };
    await ensureSearchAttributes(temporalOptionsOf(line), namespace);
    return found.address;
  }
  const temporal = temporalServer({
    binary: found.path,
    port: ports.temporal,
    uiPort: ports.temporalUi,
    databaseFolder: folder.temporal,
    logFile: folder.log('temporal'),
  });
  await supervise.start(temporal);
  return temporal.address;
}
