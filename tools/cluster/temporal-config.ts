/** The files that the services of Temporal read. All of JSON is YAML, which is what Temporal expects. */
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
 * Cannot be changed once there are workflows. A shard lets one of its workflows commit after the other, and each costs its
 * service memory and work even when it is idle: four keep two processors busy. For production Temporal advises 512.
 */
const historyShards = 4;

/** Beyond what every server of ours is told. */
const furtherDynamicConfig: Record<string, string> = {
  // Else who belongs to the cluster would be told in the open, and believed of anybody.
  'system.enableRingpopTLS': 'true',
  // A frontend that ends serves on until its balancer and the other services have seen that it does,
  'frontend.shutdownFailHealthCheckDuration': '"3s"',
  // and then until nobody waits for it any more: a task that has been handed out would be lost with its line.
  'frontend.shutdownDrainDuration': '"25s"',
  // So long does a worker wait for a task before it asks again. The default of a minute would be waited for, too.
  'matching.longPollExpirationInterval': '"10s"',
  // All agree on the moment from which a process has nothing more to do, or takes part: else each piece of its work is
  // nobody's for as long as the news takes.
  'history.alignMembershipChange': '"1s"',
  'matching.alignMembershipChange': '"1s"',
};

/** Longer than any of them takes to end by these settings. */
export const shutdownMs = 45_000;

/** Of one process, to what Temporal keeps and to what it finds by. */
const connections = { default: 20, visibility: 10 } as const;

/** All that the processes may have to PostgreSQL, and some for whoever looks. */
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

/** Writes what all have in common and what differs, as Temporal lays one over the other. */
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

/** Of one process: its ports. Those of the services that it is not are looked up among the members. */
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
  const door = `${loopback}:${String(ports.door)}`;
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
        active: { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend', rpcAddress: door },
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

/** Both sides of every line show a certificate; files that change are read again. */
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
    // What the cluster does for itself it asks of its frontend, as one of its servers.
    systemWorker: { certFile: internode.certFile, keyFile: internode.keyFile, client: toFrontend },
  };
}
