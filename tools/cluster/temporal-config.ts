/** The configuration files of Temporal's services. They are JSON, which is valid YAML. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dynamicConfig } from '../sandbox/services/temporal-server';
import {
  frontendName,
  internodeName,
  postgresUser,
  type ClusterCertificates,
  type TlsFiles,
} from './certificates';
import { postgresDatabases } from './postgres-server';
import { serviceNames, type TemporalInstance, type TemporalPorts } from './temporal-ports';

const loopback = '127.0.0.1';

/**
 * Cannot be changed later. A shard commits one workflow at a time, and each costs memory and work even when idle: four
 * keep two processors busy. Temporal recommends 512 for production.
 */
const historyShards = 4;

/** In addition to the options of all our servers. */
const furtherDynamicConfig: Record<string, string> = {
  // Otherwise membership messages are unencrypted, and accepted from anyone.
  'system.enableRingpopTLS': 'true',
  // A frontend that is shutting down serves until its balancer and the other services have noticed,
  'frontend.shutdownFailHealthCheckDuration': '"3s"',
  // and then until no client waits for it: a task that was handed out would be lost with its connection.
  'frontend.shutdownDrainDuration': '"25s"',
  // How long a worker's poll waits for a task. With the default of a minute, the shutdown would wait that long.
  'matching.longPollExpirationInterval': '"10s"',
  // All agree on the time from which a process leaves or joins. Otherwise each part of its work has no owner until
  // all processes know of the change.
  'history.alignMembershipChange': '"1s"',
  'matching.alignMembershipChange': '"1s"',
};

/** Longer than any service takes to stop with these settings. */
export const shutdownMs = 45_000;

/** Of one process, to the main database and to the visibility store. */
const connections = { default: 20, visibility: 10 } as const;

/** The connections of all processes to PostgreSQL, and some for other users. */
export function connectionsMax({ instances }: Pick<TemporalPorts, 'instances'>): number {
  return instances.length * (connections.default + connections.visibility) + 20;
}

export interface ConfigOptions {
  folder: string;
  ports: TemporalPorts;
  certificates: Pick<ClusterCertificates, 'temporal' | 'postgres'>;
  tuning?: ClusterTuning;
}

export interface ClusterTuning {
  dynamicConfig?: Record<string, string>;
  historyShards?: number;
}

/** Writes the common and the separate configuration, in the layers that Temporal merges. */
export async function writeTemporalConfig(options: ConfigOptions): Promise<void> {
  const { folder, ports } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const write = (name: string, content: unknown) =>
    writeFile(join(folder, `${name}.yaml`), `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  const dynamic = dynamicConfigFile(folder);
  await write('dynamic', dynamicSettings(options.tuning));
  await write('base', baseConfig(options, dynamic));
  for (const instance of ports.instances) await write(instance.name, ownConfig(instance, ports));
}

function dynamicConfigFile(folder: string): string {
  return join(folder, 'dynamic.yaml');
}

function dynamicSettings(tuning: ClusterTuning = {}): Record<string, { value: unknown }[]> {
  const all = Object.entries({ ...dynamicConfig, ...furtherDynamicConfig, ...tuning.dynamicConfig });
  return Object.fromEntries(all.map(([key, value]) => [key, [{ value: JSON.parse(value) as unknown }]]));
}

/** Of one process: its own ports. It finds other services by membership. */
function ownConfig(own: TemporalInstance, { instances }: TemporalPorts): unknown {
  const listenAddress = `${loopback}:${String(own.metrics)}`;
  const services = serviceNames.map((service) => {
    const { grpc, membership } = [own, ...instances].find((one) => one.service === service) ?? own;
    return [service, { rpc: { grpcPort: grpc, membershipPort: membership, bindOnIP: loopback } }] as const;
  });
  return {
    global: { metrics: { prometheus: { timerType: 'histogram', listenAddress } } },
    services: Object.fromEntries(services),
  };
}

function baseConfig({ ports, certificates, tuning }: ConfigOptions, dynamicConfigPath: string): unknown {
  const api = `${loopback}:${String(ports.api)}`;
  return {
    log: { stdout: true, level: 'warn' },
    persistence: {
      numHistoryShards: tuning?.historyShards ?? historyShards,
      defaultStore: 'default',
      visibilityStore: 'visibility',
      datastores: {
        default: datastore('default', ports.postgres, certificates.postgres.client),
        visibility: datastore('visibility', ports.postgres, certificates.postgres.client),
      },
    },
    global: {
      membership: { maxJoinDuration: '30s', broadcastAddress: loopback },
      tls: tlsConfig(certificates.temporal),
    },
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend', rpcAddress: api },
      },
    },
    dynamicConfigClient: { filepath: dynamicConfigPath, pollInterval: '10s' },
  };
}

function datastore(kind: keyof typeof connections, port: number, tls: TlsFiles): unknown {
  return {
    sql: {
      pluginName: 'postgres12',
      databaseName: postgresDatabases[kind],
      connectAddr: `${loopback}:${String(port)}`,
      connectProtocol: 'tcp',
      user: postgresUser,
      maxConns: connections[kind],
      maxIdleConns: connections[kind],
      maxConnLifetime: '1h',
      tls: { enabled: true, ...tls, enableHostVerification: true },
    },
  };
}

/** Both ends of every connection show a certificate; changed files are read again. */
function tlsConfig({ frontend, internode, client }: ClusterCertificates['temporal']): unknown {
  const server = ({ caFile, certFile, keyFile }: TlsFiles) => ({
    requireClientAuth: true,
    certFile,
    keyFile,
    clientCaFiles: [caFile],
  });
  const toFrontend = { serverName: frontendName, rootCaFiles: [client.caFile] };
  return {
    refreshInterval: '10s',
    internode: {
      server: server(internode),
      client: { serverName: internodeName, rootCaFiles: [internode.caFile] },
    },
    frontend: { server: server(frontend), client: toFrontend },
    // The cluster's own workflows use its frontend, with a server's certificate.
    systemWorker: { certFile: internode.certFile, keyFile: internode.keyFile, client: toFrontend },
  };
}
