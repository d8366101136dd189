/** The servers for comparing settings: Temporal's development server, and a cluster of its services on PostgreSQL. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { clusterCertificates } from '../../cluster/certificates';
import { startTemporalCluster } from '../../cluster/temporal';
import { launch } from '../../sandbox/services/child-process';
import { findTemporal } from '../../sandbox/services/find-temporal';
import { freePort } from '../../sandbox/services/free-port';
import { temporalServer } from '../../sandbox/services/temporal-server';
import { readTemporalLine } from '../../../src/config';
import type { TemporalSettings } from '../../../src/process/temporal-connection';
import { plainTemporal } from '../measures/temporal-client';

/** A server's settings that differ from ours. */
export interface ServerTuning {
  dynamicConfig?: Record<string, string>;
  /** Of the development server's SQLite. */
  pragmas?: string[];
  /** Of a cluster, fixed at its creation. */
  historyShards?: number;
}

export interface Server {
  temporal: TemporalSettings;
  /** Its processes by name, and those that work through children. */
  pids: Record<string, number>;
  forking: readonly string[];
  stop(): Promise<void>;
}

export type ServerKind = 'development' | 'cluster';

type StartServer = (folder: string, tuning: ServerTuning) => Promise<Server>;

/** @param name of its own folder */
export async function startServer(
  kind: ServerKind,
  folder: string,
  name: string,
  tuning: ServerTuning = {},
): Promise<Server> {
  const own = join(folder, name.replaceAll(/\W+/g, '-'));
  await mkdir(own, { recursive: true });
  const server = await starters[kind](own, tuning);
  // If the run is interrupted, everything that it started ends.
  const kill = (): void => {
    for (const pid of Object.values(server.pids)) killGroup(pid);
  };
  process.prependOnceListener('exit', kill);
  return {
    ...server,
    async stop() {
      process.off('exit', kill);
      await server.stop();
    },
  };
}

const starters: Record<ServerKind, StartServer> = {
  async development(databaseFolder, { dynamicConfig = {}, ...tuning }) {
    const found = await findTemporal({});
    if (found.kind === 'external') throw new Error('the server must be a private one');
    const service = temporalServer({
      binary: found.path,
      port: await freePort(),
      databaseFolder,
      logFile: join(databaseFolder, 'temporal.log'),
      tuning: { dynamicConfig, ...tuning },
    });
    const child = await launch(service);
    return {
      temporal: plainTemporal(service.address),
      pids: { temporal: child.pid },
      forking: [],
      stop: () => child.stop(),
    };
  },

  async cluster(folder, { dynamicConfig = {}, historyShards }) {
    const certificates = await clusterCertificates(join(folder, 'certificates'));
    const cluster = await startTemporalCluster({
      folder: join(folder, 'temporal'),
      certificates,
      each: 1,
      tuning: { dynamicConfig, ...(historyShards !== undefined && { historyShards }) },
    });
    const services = cluster.services.map(({ instance, pid }) => [`temporal ${instance.name}`, pid] as const);
    return {
      temporal: {
        temporalAddress: cluster.address,
        temporalNamespace: cluster.namespace,
        temporalLine: readTemporalLine(cluster.settings),
      },
      pids: { ...Object.fromEntries(services), proxy: cluster.proxy.pid, postgresql: cluster.postgres.pid },
      // Nearly all of its work is in the child processes for its clients.
      forking: ['postgresql'],
      stop: () => cluster.stop(),
    };
  },
};

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
