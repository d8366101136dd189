/**
 * The servers that the tiers of a run need, each started once. Every test file creates its own database on the MySQL
 * server.
 */
import { join } from 'node:path';
import { launch } from '../../tools/sandbox/services/child-process';
import { findMysql } from '../../tools/sandbox/services/find-mysql';
import { findTemporal } from '../../tools/sandbox/services/find-temporal';
import { freePort } from '../../tools/sandbox/services/free-port';
import { mysqlServer } from '../../tools/sandbox/services/mysql-server';
import { step } from '../../tools/sandbox/services/progress';
import { ensureSearchAttributes } from '../../tools/sandbox/services/temporal-health';
import { temporalServer } from '../../tools/sandbox/services/temporal-server';
import { testAuditKey } from './audit-key';
import { runFolder } from './run-folder';
import { testServices } from './services-of-run';
import type { ServerName } from './tiers.cjs';

/** Starts the servers that this run has not started yet. */
export async function startServers(wanted: readonly ServerName[]): Promise<void> {
  const folder = await runFolder();
  // Actions in a test's own process are written to the audit log with the same key as those of the processes under
  // test.
  process.env.MALIPO_AUDIT_KEY = testAuditKey;
  const servers = wanted.filter((name) => !testServices.started.has(name));
  if (servers.length === 0) return;
  await step(`starting ${servers.join(' and ')} for the tests`, async () => {
    await Promise.all(servers.map((name) => start[name](folder)));
  });
  for (const name of servers) testServices.started.add(name);
}

const start: Record<ServerName, (folder: string) => Promise<void>> = {
  mysql: startMysql,
  temporal: startTemporal,
};

/** MALIPO_TEST_TEMPORAL_ADDRESS and MALIPO_TEST_DATABASE_URL name running services, which makes re-runs faster. */
async function startTemporal(folder: string): Promise<void> {
  const running = process.env.MALIPO_TEST_TEMPORAL_ADDRESS;
  if (running) return ensureSearchAttributes({ address: running });
  const found = await findTemporal({});
  if (found.kind !== 'binary') throw new Error('unreachable: an empty environment names no server');
  const temporal = temporalServer({
    binary: found.path,
    port: await freePort(),
    logFile: join(folder, 'temporal.log'),
  });
  testServices.children.push(await launch(temporal));
  process.env.MALIPO_TEST_TEMPORAL_ADDRESS = temporal.address;
}

/**
 * This database does not outlive the run, so no write waits for the disk. Tables in one shared file take half of the
 * time to create and drop (a migrated schema: 0.45 s of processor time, then 0.3 s).
 */
const forgetful = [
  '--debug-no-sync=1',
  '--skip-sync-frm',
  '--innodb-flush-method=nosync',
  '--skip-innodb-doublewrite',
  '--skip-innodb-file-per-table',
];

async function startMysql(folder: string): Promise<void> {
  if (process.env.MALIPO_TEST_DATABASE_URL) return;
  const found = await findMysql({});
  if (found.kind === 'external') throw new Error('unreachable: an empty environment names no server');
  const mysql = await mysqlServer({
    found,
    folder: join(folder, 'mysql'),
    port: await freePort(),
    logFile: join(folder, 'mysql.log'),
    durable: false,
    further: found.kind === 'mariadb' ? forgetful : [],
  });
  testServices.children.push(await launch(mysql));
  process.env.MALIPO_TEST_DATABASE_URL = mysql.adminUrl;
  process.env.MALIPO_TEST_STACKS = join(folder, 'stacks');
  // Its data is removed with the server.
  if (found.kind === 'mariadb') process.env.MALIPO_TEST_SPARE_DATABASES ??= '1';
}
