/** The servers that a cluster on one machine runs itself: MariaDB and Temporal. */
import { join } from 'node:path';
import type { Service } from '../sandbox/services/child-process';
import { findMysql } from '../sandbox/services/find-mysql';
import { mysqlServer, type MysqlService } from '../sandbox/services/mysql-server';
import { step } from '../sandbox/services/progress';
import { clusterCertificates, type ClusterCertificates } from './certificates';
import { planTemporalCluster, type TemporalClusterOptions, type TemporalClusterPlan } from './temporal';

export interface ClusterServersOptions {
  /** For their data and certificates. */
  folder: string;
  ports: { mysql: number; temporal: number };
  logFile(name: string): string;
  /** Starts a server, and restarts it if the caller wants that. */
  start(service: Service): Promise<void>;
  /** Further options of the database. */
  mysql?: { durable: boolean; further: string[] };
  /** Further options of Temporal. */
  temporal?: Pick<TemporalClusterOptions, 'countStatements' | 'each'>;
}

export interface ClusterServers {
  mysql: MysqlService;
  temporal: TemporalClusterPlan;
  temporalAddress: string;
  temporalNamespace: string;
  certificates: ClusterCertificates;
}

export async function startClusterServers(options: ClusterServersOptions): Promise<ClusterServers> {
  const { folder, ports, logFile, start } = options;
  const certificates = await step('making certificates', () =>
    clusterCertificates(join(folder, 'certificates')),
  );
  const mysql = await clusterMysql(options, certificates.mysql);
  // The first server to start stops last, because a worker may still write while Temporal stops.
  await step('starting MySQL, with TLS only', () => start(mysql));
  const temporal = await planTemporalCluster({
    folder: join(folder, 'temporal'),
    certificates,
    proxyPort: ports.temporal,
    log: logFile,
    ...options.temporal,
  });
  await step('starting Temporal on PostgreSQL', () => temporal.bringUp(start));
  return {
    mysql,
    temporal,
    temporalAddress: temporal.address,
    temporalNamespace: temporal.namespace,
    certificates,
  };
}

async function clusterMysql(
  { folder, ports, logFile, mysql }: ClusterServersOptions,
  tls: ClusterCertificates['mysql'],
): Promise<MysqlService> {
  // Ignores the environment's server, which belongs to others.
  const found = await findMysql({});
  if (found.kind !== 'mysql' && found.kind !== 'mariadb') {
    throw new Error('the cluster needs an installed MySQL or MariaDB server on this machine');
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
