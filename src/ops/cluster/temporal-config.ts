/** The files that the services of Temporal read. All of JSON is YAML, which is what Temporal expects. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dynamicConfig } from '../services/temporal-server';
import {
  frontendName,
  internodeName,
  postgresUser,
  type ClusterCertificates,
  type TlsFiles,
} from './certificates';
import { postgresDatabases } from './postgres-server';
import { serviceNames, type TemporalPorts } from './temporal-ports';

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
};

export interface ConfigOptions {
  folder: string;
  ports: TemporalPorts;
  certificates: Pick<ClusterCertificates, 'temporal' | 'postgres'>;
}

/** Writes what all have in common and what differs, as Temporal lays one over the other. */
export async function writeTemporalConfig(options: ConfigOptions): Promise<void> {
  const { folder, ports } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const write = (name: string, content: unknown) =>
    writeFile(join(folder, `${name}.yaml`), `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  const dynamic = dynamicConfigFile(folder);
  await write('dynamic', dynamicSettings());
  await write('base', baseConfig(options, dynamic));
  for (const name of serviceNames) await write(name, ownConfig(ports[name].metrics));
}

function dynamicConfigFile(folder: string): string {
  return join(folder, 'dynamic.yaml');
}

function dynamicSettings(): Record<string, { value: unknown }[]> {
  const all = Object.entries({ ...dynamicConfig, ...furtherDynamicConfig });
  return Object.fromEntries(all.map(([key, value]) => [key, [{ value: JSON.parse(value) as unknown }]]));
}

function ownConfig(metricsPort: number): unknown {
  const listenAddress = `${loopback}:${String(metricsPort)}`;
  return { global: { metrics: { prometheus: { timerType: 'histogram', listenAddress } } } };
}

function baseConfig({ ports, certificates }: ConfigOptions, dynamicConfigPath: string): unknown {
  const frontend = `${loopback}:${String(ports.frontend.grpc)}`;
  return {
    log: { stdout: true, level: 'warn' },
    persistence: {
      numHistoryShards: historyShards,
      defaultStore: 'default',
      visibilityStore: 'visibility',
      datastores: {
        default: datastore(postgresDatabases.default, 20, ports.postgres, certificates.postgres.client),
        visibility: datastore(postgresDatabases.visibility, 10, ports.postgres, certificates.postgres.client),
      },
    },
    global: {
      membership: { maxJoinDuration: '30s', broadcastAddress: loopback },
      tls: tlsConfig(certificates.temporal),
    },
    services: Object.fromEntries(
      serviceNames.map((name) => [
        name,
        { rpc: { grpcPort: ports[name].grpc, membershipPort: ports[name].membership, bindOnIP: loopback } },
      ]),
    ),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend', rpcAddress: frontend },
      },
    },
    dynamicConfigClient: { filepath: dynamicConfigPath, pollInterval: '10s' },
  };
}

function datastore(name: string, connections: number, port: number, tls: TlsFiles): unknown {
  return {
    sql: {
      pluginName: 'postgres12',
      databaseName: name,
      connectAddr: `${loopback}:${String(port)}`,
      connectProtocol: 'tcp',
      user: postgresUser,
      maxConns: connections,
      maxIdleConns: connections,
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
