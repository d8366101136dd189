/** Temporal and MySQL: found or started. */
import { removeDockerMysql } from '../services/docker-mysql';
import type { FoundMysql } from '../services/find-mysql';
import type { FoundTemporal } from '../services/find-temporal';
import { mysqlServer } from '../services/mysql-server';
import { step } from '../services/progress';
import { createSchema } from '../services/schema';
import { ensureSearchAttributes } from '../services/temporal-health';
import { temporalServer } from '../services/temporal-server';
import type { Ports } from './ports';
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
  databaseUrl: string;
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
  // MySQL first: what is started first is stopped last, and Temporal's end may still let a worker write.
  const databaseUrl = await step('starting MySQL', () => startMysql(found.mysql, folder, ports, supervise));
  const temporalAddress = await step('starting Temporal', () =>
    startTemporal(found.temporal, folder, ports, supervise, temporalNamespace),
  );
  const temporalUiUrl = process.env.MALIPO_TEMPORAL_UI_URL ?? `http://127.0.0.1:${String(ports.temporalUi)}`;
  return { temporalAddress, temporalUiUrl, temporalNamespace, databaseUrl };
}

async function startMysql(
  found: FoundMysql,
  folder: SandboxFolder,
  ports: Ports,
  supervise: Supervisor,
): Promise<string> {
  if (found.kind === 'external') return externalDatabase(found.url);
  const mysql = await mysqlServer({
    found,
    folder: folder.mysql,
    port: ports.mysql,
    logFile: folder.log('mysql'),
  });
  await supervise.start(mysql);
  return createSchema(mysql.adminUrl, databaseName);
}

/** A server of somebody else's: the database is made where its account may do so. */
async function externalDatabase(given: string): Promise<string> {
  const url = new URL(given);
  if (url.pathname.length <= 1) url.pathname = `/${databaseName}`;
  // Where the account may not, the database has to be there, and the migration will tell.
  await createSchema(url.href, decodeURIComponent(url.pathname.slice(1))).catch(() => undefined);
  return url.href;
}

async function startTemporal(
  found: FoundTemporal,
  folder: SandboxFolder,
  ports: Ports,
  supervise: Supervisor,
  namespace: string,
): Promise<string> {
  if (found.kind === 'external') {
    await ensureSearchAttributes(found.address, namespace);
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
