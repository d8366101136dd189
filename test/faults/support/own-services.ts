/** A test's own MySQL or Temporal server, with its data on disk, that can be killed and restarted. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch, type ChildProcess, type Service } from '../../../tools/sandbox/services/child-process';
import { findMysql } from '../../../tools/sandbox/services/find-mysql';
import { findTemporal } from '../../../tools/sandbox/services/find-temporal';
import { freePort } from '../../../tools/sandbox/services/free-port';
import { mysqlServer } from '../../../tools/sandbox/services/mysql-server';
import { createAccounts, createSchema } from '../../../tools/sandbox/services/schema';
import { temporalServer } from '../../../tools/sandbox/services/temporal-server';
import { openDatabase } from '../../../src/store/database';
import { prepareSchema } from '../../../src/store/prepare-schema';
import type { TestDatabase } from '../../support/database';

export interface OwnService {
  /** kill -9 */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Such as SIGSTOP, for a frozen server. */
  signal(name: NodeJS.Signals): void;
  pid(): number;
  /** The folder of its data. */
  folder: string;
  /** Stops it and deletes its data. */
  end(): Promise<void>;
}

async function keeping(folder: string, service: Service): Promise<OwnService> {
  let child: ChildProcess = await launch(service);
  return {
    async kill() {
      process.kill(-child.pid, 'SIGKILL');
      await child.exited;
    },
    async start() {
      child = await launch(service);
    },
    signal(name) {
      if (child.isRunning()) process.kill(-child.pid, name);
    },
    pid: () => child.pid,
    folder,
    async end() {
      await child.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export async function ownMysql(): Promise<
  OwnService & { database: Pick<TestDatabase, 'url' | 'db' | 'drop'> }
> {
  const folder = await mkdtemp(join(tmpdir(), 'malipo-mysql-'));
  const found = await findMysql({});
  if (found.kind === 'external') throw new Error('unreachable: an empty environment names no server');
  const service = await mysqlServer({
    found,
    folder,
    port: await freePort(),
    logFile: join(folder, 'mysql.log'),
    durable: true,
  });
  const kept = await keeping(folder, service);
  const adminUrl = await createSchema(service.adminUrl, 'malipo');
  const login = (user: string) => ({ user, password: 'test', host: service.loginHost });
  const accounts = await createAccounts(service.adminUrl, 'malipo', {
    migrate: login('malipo_migrate'),
    service: login('malipo'),
  });
  await prepareSchema(accounts);
  const db = openDatabase(adminUrl);
  return { ...kept, database: { url: accounts.serviceUrl, db, drop: () => db.destroy() } };
}

export async function ownTemporal(): Promise<OwnService & { address: string; startEmpty(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'malipo-temporal-'));
  const found = await findTemporal({});
  if (found.kind !== 'binary') throw new Error('unreachable: an empty environment names no server');
  const service = temporalServer({
    binary: found.path,
    port: await freePort(),
    databaseFolder: folder,
    logFile: join(folder, 'temporal.log'),
  });
  const kept = await keeping(folder, service);
  return {
    ...kept,
    address: service.address,
    /** Starts it as after the loss of its disk. */
    async startEmpty() {
      for (const suffix of ['', '-wal', '-shm']) {
        await rm(join(folder, `temporal.db${suffix}`), { force: true });
      }
      await kept.start();
    },
  };
}
