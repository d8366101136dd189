/** A private cluster's servers, which a test restarts under load. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startClusterServers, type ClusterServers } from '../../../../tools/cluster/servers';
import { launch, type ChildProcess, type Service } from '../../../../tools/sandbox/services/child-process';
import { runCommand } from '../../../../tools/sandbox/services/run-command';
import { freePort } from '../../../../tools/sandbox/services/free-port';
import { schemaOf, withSchema } from '../../../../src/store/database-address';
import { openDatabase, type Database } from '../../../../src/store/database';
import { prepareSchema } from '../../../../src/store/prepare-schema';
import { createDatabase } from '../../../../tools/sandbox/start-services';
import type { TestDatabase } from '../../../support/database';

export interface OwnClusterOptions {
  /** The size of a disk of its own for the database, such as `900m`: memory that only root can mount. */
  mysqlDisk?: string;
  /** Processes of each of Temporal's services. */
  each?: number;
  /** Further variables of the database server. */
  mysqlEnv?: Record<string, string>;
}

export interface OwnCluster extends ClusterServers {
  database: Pick<TestDatabase, 'url' | 'db' | 'drop'>;
  /** For statements that only an administrator may run. */
  admin: Database;
  /** The folder of the database's disk. */
  disk: string;
  pidOf(service: Service): number;
  /** Stops a server in order, and starts it again in its place. */
  restart(service: Service): Promise<void>;
  /** Stops all of them and deletes their data. */
  end(): Promise<void>;
}

export async function ownCluster({
  mysqlDisk,
  each = 2,
  mysqlEnv = {},
}: OwnClusterOptions = {}): Promise<OwnCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'malipo-own-cluster-'));
  const disk = join(folder, 'mysql');
  if (mysqlDisk !== undefined) {
    await mkdir(disk);
    await runCommand('mount', ['-t', 'tmpfs', '-o', `size=${mysqlDisk}`, 'none', disk]);
  }
  const running = new Map<Service, ChildProcess>();
  const start = async (service: Service): Promise<void> => {
    const env = service.name === 'MySQL' ? mysqlEnv : {};
    // A server inherits the variables of this process.
    Object.assign(process.env, env);
    try {
      running.set(service, await launch(service));
    } finally {
      for (const name of Object.keys(env)) Reflect.deleteProperty(process.env, name);
    }
  };
  const servers = await startClusterServers({
    folder,
    ports: { mysql: await freePort(), temporal: await freePort() },
    logFile: (name) => join(folder, `${name}.log`),
    start,
    temporal: { each },
  });
  const accounts = await createDatabase(servers.mysql);
  await prepareSchema(accounts);
  const db = openDatabase(withSchema(servers.mysql.adminUrl, schemaOf(accounts.serviceUrl)));
  const admin = openDatabase(servers.mysql.adminUrl, { poolMax: 1 });
  return {
    ...servers,
    database: { url: accounts.serviceUrl, db, drop: () => db.destroy() },
    admin,
    disk,
    pidOf: (service) => running.get(service)?.pid ?? 0,
    async restart(service) {
      await running.get(service)?.stop();
      await start(service);
    },
    async end() {
      await admin.destroy();
      for (const child of [...running.values()].reverse()) await child.stop();
      if (mysqlDisk !== undefined) await runCommand('umount', [disk]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
