/** The servers that others run in production and that a cluster on one machine runs itself: MariaDB and Temporal. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Service } from '../services/child-process';
import { findMysql } from '../services/find-mysql';
import { findTemporal } from '../services/find-temporal';
import { mysqlServer, type MysqlService } from '../services/mysql-server';
import { step } from '../services/progress';
import { temporalServer } from '../services/temporal-server';
import { clusterCertificates } from './certificates';

export interface ClusterServersOptions {
  /** For their data and the certificates. */
  folder: string;
  ports: { mysql: number; temporal: number };
  logFile(name: string): string;
  /** Brings a server up, and keeps it up where that is wanted. */
  start(service: Service): Promise<void>;
  /** What the database is told besides. */
  mysql?: { durable: boolean; further: string[] };
}

export interface ClusterServers {
  mysql: MysqlService;
  temporalAddress: string;
  temporalNamespace: string;
  /** The settings, by their names, with which a process of ours reaches Temporal, besides its address. */
  temporalSettings: Record<string, string>;
}

export async function startClusterServers(options: ClusterServersOptions): Promise<ClusterServers> {
  const { folder } = options;
  const certificates = await step('making certificates', () =>
    clusterCertificates(join(folder, 'certificates')),
  );
  const mysql = await clusterMysql(options, certificates.mysql);
  // What is started first is stopped last, and Temporal's end may still let a worker write.
  await step('starting MySQL, by TLS alone', () => options.start(mysql));
  return { mysql, ...(await startTemporal(options)) };
}

type Certificates = Awaited<ReturnType<typeof clusterCertificates>>;

async function clusterMysql(
  { folder, ports, logFile, mysql }: ClusterServersOptions,
  tls: Certificates['mysql'],
): Promise<MysqlService> {
  // Whatever the environment names is somebody else's.
  const found = await findMysql({});
  if (found.kind !== 'mysql' && found.kind !== 'mariadb') {
    throw new Error('the cluster needs a MySQL or MariaDB server that is installed on this machine');
  }
  return mysqlServer({
    found,
    folder: join(folder, 'mysql'),
    port: ports.mysql,
    logFile: logFile('mysql'),
    tls,
    ...mysql,
  });
}

async function startTemporal({
  folder,
  ports,
  logFile,
  start,
}: ClusterServersOptions): Promise<Omit<ClusterServers, 'mysql'>> {
  const found = await findTemporal({});
  if (found.kind !== 'binary') throw new Error('unreachable: an empty environment names no server');
  const databaseFolder = join(folder, 'temporal');
  await mkdir(databaseFolder, { recursive: true, mode: 0o700 });
  const temporal = temporalServer({
    binary: found.path,
    port: ports.temporal,
    databaseFolder,
    logFile: logFile('temporal'),
  });
  await step('starting Temporal', () => start(temporal));
  return { temporalAddress: temporal.address, temporalNamespace: 'default', temporalSettings: {} };
}
