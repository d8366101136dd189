/** The servers that others run in production and that a cluster on one machine runs itself: MariaDB and Temporal. */
import { join } from 'node:path';
import type { Service } from '../sandbox/services/child-process';
import { findMysql } from '../sandbox/services/find-mysql';
import { mysqlServer, type MysqlService } from '../sandbox/services/mysql-server';
import { step } from '../sandbox/services/progress';
import { clusterCertificates, type ClusterCertificates } from './certificates';
import { planTemporalCluster, type TemporalClusterOptions, type TemporalClusterPlan } from './temporal';

export interface ClusterServersOptions {
  /** For their data and the certificates. */
  folder: string;
  ports: { mysql: number; temporal: number };
  logFile(name: string): string;
  /** Brings a server up, and keeps it up where that is wanted. */
  start(service: Service): Promise<void>;
  /** What the database is told besides. */
  mysql?: { durable: boolean; further: string[] };
  /** What is planned of Temporal besides. */
  temporal?: Pick<TemporalClusterOptions, 'countStatements' | 'each'>;
}

export interface ClusterServers {
  mysql: MysqlService;
  temporal: TemporalClusterPlan;
  temporalAddress: string;
  temporalNamespace: string;
}

export async function startClusterServers(options: ClusterServersOptions): Promise<ClusterServers> {
  const { folder, ports, logFile, start } = options;
  const certificates = await step('making certificates', () =>
    clusterCertificates(join(folder, 'certificates')),
  );
  const mysql = await clusterMysql(options, certificates.mysql);
  // What is started first is stopped last, and Temporal's end may still let a worker write.
  await step('starting MySQL, by TLS alone', () => start(mysql));
  const temporal = await planTemporalCluster({
    folder: join(folder, 'temporal'),
    certificates,
    doorPort: ports.temporal,
    log: logFile,
    ...options.temporal,
  });
  await step('starting Temporal on PostgreSQL', () => temporal.bringUp(start));
  return {
    mysql,
    temporal,
    temporalAddress: temporal.address,
    temporalNamespace: temporal.namespace,
  };
}

async function clusterMysql(
  { folder, ports, logFile, mysql }: ClusterServersOptions,
  tls: ClusterCertificates['mysql'],
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
