/** The servers of a cluster of a test's own, to be restarted under a load. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startClusterServers, type ClusterServers } from '../../../../tools/cluster/servers';
import { launch, type ChildProcess, type Service } from '../../../../tools/sandbox/services/child-process';
import { freePort } from '../../../../tools/sandbox/services/free-port';
import { schemaOf, withSchema } from '../../../../src/store/database-address';
import { openDatabase } from '../../../../src/store/database';
import { prepareSchema } from '../../../../src/store/prepare-schema';
import { createDatabase } from '../../../../tools/sandbox/start-services';
import type { TestDatabase } from '../../../support/database';

export interface OwnCluster extends ClusterServers {
  database: Pick<TestDatabase, 'url' | 'db' | 'drop'>;
  /** Ends a server in order, and starts it again in its place. */
  restart(service: Service): Promise<void>;
  /** Ends all of them, data and all. */
  end(): Promise<void>;
}

export async function ownCluster(): Promise<OwnCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'malipo-own-cluster-'));
  const running = new Map<Service, ChildProcess>();
  const start = async (service: Service): Promise<void> => {
    running.set(service, await launch(service));
  };
  const servers = await startClusterServers({
    folder,
    ports: { mysql: await freePort(), temporal: await freePort() },
    logFile: (name) => join(folder, `${name}.log`),
    start,
  });
  const accounts = await createDatabase(servers.mysql);
  await prepareSchema(accounts);
  const db = openDatabase(withSchema(servers.mysql.adminUrl, schemaOf(accounts.serviceUrl)));
  return {
    ...servers,
    database: { url: accounts.serviceUrl, db, drop: () => db.destroy() },
    async restart(service) {
      await running.get(service)?.stop();
      await start(service);
    },
    async end() {
      for (const child of [...running.values()].reverse()) await child.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
