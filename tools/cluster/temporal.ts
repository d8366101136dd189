/**
 * Temporal as in production, on one machine: four services with two processes each, on PostgreSQL, with mutual TLS on
 * every connection. The differences are one machine and few shards.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readTemporalLine } from '../../src/config';
import {
  startChild,
  stopInOrder,
  whenReady,
  type ChildProcess,
  type Service,
} from '../sandbox/services/child-process';
import { listensOn } from '../sandbox/services/port-holder';
import { step } from '../sandbox/services/progress';
import { runCommand } from '../sandbox/services/run-command';
import { temporalOptionsOf, type TemporalConnectionOptions } from '../../src/process/temporal-connection';
import { frontendName, postgresUser, type ClusterCertificates } from './certificates';
import { findHaproxy } from '../sandbox/services/find-haproxy';
import { findPostgres } from './find-postgres';
import { findTemporalServer } from './find-temporal-server';
import { postgresDatabases, postgresServer, type PostgresService } from './postgres-server';
import { connectionsMax, shutdownMs, writeTemporalConfig, type ClusterTuning } from './temporal-config';
import { temporalProxy } from './temporal-proxy';
import { ensureNamespace, untilWorkflowsRun } from './temporal-namespace';
import { temporalPorts, type TemporalInstance, type TemporalPorts } from './temporal-ports';

export interface TemporalClusterOptions {
  /** Contains PostgreSQL's data, the configuration and the logs; a new start in it continues. */
  folder: string;
  certificates: Pick<ClusterCertificates, 'temporal' | 'postgres'>;
  /** Where clients connect; like all other ports, by default a free one. */
  proxyPort?: number;
  /** The number of processes of each service; by default two. */
  each?: number;
  /** The log file of a service; by default a file in the folder. */
  log?: (name: string) => string;
  /** Lets PostgreSQL count statements, for measurements only. */
  countStatements?: boolean;
  /** Different settings, for measurements only. */
  tuning?: ClusterTuning;
}

/** A process of one of its services. */
export interface TemporalService extends Service {
  instance: TemporalInstance;
}

export interface TemporalClusterPlan {
  address: string;
  namespace: string;
  ports: TemporalPorts;
  /** The settings that our processes need for it. */
  settings: Record<string, string>;
  /** The same for a connection of our own. */
  connection: TemporalConnectionOptions;
  postgres: PostgresService;
  /** In front of the frontends: where clients connect. */
  proxy: Service;
  services: readonly TemporalService[];
  /**
   * Starts everything in order, and resolves when a workflow can run.
   * @param start starts one service, and resolves when it is ready
   */
  bringUp(start: (service: Service) => Promise<void>): Promise<void>;
  /** Resolves when a workflow can run. After the loss of a service this takes longer than the service's start. */
  ready(): Promise<void>;
}

const namespace = 'malipo';

/** For callers that keep the processes running themselves; otherwise use {@link startTemporalCluster}. */
export async function planTemporalCluster(options: TemporalClusterOptions): Promise<TemporalClusterPlan> {
  const { folder, certificates, log = (name) => join(folder, 'logs', `${name}.log`) } = options;
  const [programs, binaries] = [await findPostgres(), await findTemporalServer()];
  const haproxy = await findHaproxy();
  const ports = await temporalPorts({ proxyPort: options.proxyPort, each: options.each ?? 2 });
  await writeTemporalConfig({
    ...{ folder: join(folder, 'config'), ports, certificates },
    ...(options.tuning && { tuning: options.tuning }),
  });
  const postgres = await postgresServer({
    programs,
    folder: join(folder, 'postgres'),
    port: ports.postgres,
    certificates: certificates.postgres,
    connectionsMax: connectionsMax(ports),
    logFile: log('postgres'),
    countStatements: options.countStatements ?? false,
  });
  const services = ports.instances.map((instance) =>
    temporalService({
      instance,
      server: binaries.server,
      folder,
      logFile: log(`temporal-${instance.name}`),
    }),
  );
  const proxy = await temporalProxy({
    program: haproxy,
    folder: join(folder, 'door'),
    port: ports.api,
    frontends: ports.instances.filter(({ service }) => service === 'frontend'),
    client: certificates.temporal.client,
    logFile: log('temporal-balancer'),
  });
  const address = `127.0.0.1:${String(ports.api)}`;
  const settings = settingsFor(address, certificates.temporal);
  const connection = temporalOptionsOf({
    temporalAddress: address,
    temporalNamespace: namespace,
    temporalLine: readTemporalLine(settings),
  });
  const ready = () => untilWorkflowsRun(connection, namespace);
  return {
    address,
    namespace,
    ports,
    settings,
    connection,
    postgres,
    proxy,
    services,
    ready,
    async bringUp(start) {
      await start(postgres);
      await prepareSchemas(binaries.sqlTool, ports.postgres, certificates.postgres.client);
      // A new member looks for the members of the last start for half a minute.
      await postgres.query('DELETE FROM cluster_membership');
      // One service alone writes the cluster's metadata: of two at the same time, the later fails.
      const first = services.filter(({ instance }) => instance.service === 'history').slice(0, 1);
      for (const service of first) await start(service);
      // Together, because each waits for the others.
      const others = services.filter((service) => !first.includes(service));
      await Promise.all([...others, proxy].map(start));
      await ensureNamespace(connection, namespace);
      await ready();
    },
  };
}

/** The names are those of our settings. */
function settingsFor(address: string, { client }: ClusterCertificates['temporal']): Record<string, string> {
  return {
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: namespace,
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: client.caFile,
    TEMPORAL_TLS_SERVER_NAME: frontendName,
    TEMPORAL_TLS_CLIENT_CERT_PATH: client.certFile,
    TEMPORAL_TLS_CLIENT_KEY_PATH: client.keyFile,
  };
}

/** Creates or upgrades the tables; existing data stays. */
async function prepareSchemas(
  sqlTool: string,
  port: number,
  { caFile, certFile, keyFile }: ClusterCertificates['postgres']['client'],
): Promise<void> {
  for (const [kind, database] of Object.entries(postgresDatabases)) {
    const versions = `postgresql/v12/${kind === 'default' ? 'temporal' : kind}`;
    const run = (...args: string[]) =>
      runCommand(
        sqlTool,
        [
          ...['--plugin', 'postgres12', '--endpoint', '127.0.0.1', '--port', String(port)],
          ...['--user', postgresUser, '--database', database, '--tls'],
          ...['--tls-ca-file', caFile, '--tls-cert-file', certFile, '--tls-key-file', keyFile],
          ...args,
        ],
        { env: bareEnvironment() },
      );
    await run('setup-schema', '--version', '0.0');
    await run('update-schema', '--schema-name', versions);
  }
}

interface TemporalServiceOptions {
  instance: TemporalInstance;
  server: string;
  folder: string;
  logFile: string;
}

function temporalService({ instance, server, folder, logFile }: TemporalServiceOptions): TemporalService {
  const { name, service } = instance;
  const called = `Temporal ${name}`;
  // The system worker accepts no calls, but all services take part in the membership.
  const port = service === 'worker' ? instance.membership : instance.grpc;
  const where = ['--root', folder, '--config', 'config', '--env', name];
  return {
    name: called,
    group: "Temporal's services",
    instance,
    spawn: () =>
      startChild({
        name: called,
        command: server,
        args: [...where, '--allow-no-auth', 'start', '--service', service],
        env: bareEnvironment(),
        logFile,
        graceMs: shutdownMs,
      }),
    ready: (child) =>
      whenReady(child, () => listensOn(child.pid, port), {
        what: `${called} at 127.0.0.1:${String(port)}`,
        timeoutMs: 180_000,
      }),
  };
}

/** Both programs read settings from the environment: none of ours are for them. */
function bareEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'] };
}

/** A process of the cluster, also after a restart. */
export interface ClusterProcess {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  /** Stops it in order if it runs, and starts it again with the same ports; resolves when it is ready itself. */
  restart(): Promise<void>;
}

export interface TemporalCluster extends Omit<
  TemporalClusterPlan,
  'postgres' | 'proxy' | 'services' | 'bringUp'
> {
  postgres: ClusterProcess;
  proxy: ClusterProcess;
  services: (ClusterProcess & { readonly instance: TemporalInstance })[];
  stop(): Promise<void>;
}

/** Starts a cluster without a supervisor: a killed process stays down until its restart. */
export async function startTemporalCluster(options: TemporalClusterOptions): Promise<TemporalCluster> {
  const { postgres, proxy, services, bringUp, ...plan } = await planTemporalCluster(options);
  const running = new Map<Service, ChildProcess>();
  const start = async (service: Service): Promise<void> => {
    const child = await service.spawn();
    running.set(service, child);
    await service.ready(child);
  };
  // PostgreSQL last, so that no service loses its writes.
  const stop = () => stopInOrder(running);
  try {
    await step('starting Temporal on PostgreSQL', () => bringUp(start));
  } catch (error) {
    await stop();
    throw error;
  }
  const handle = (service: Service): ClusterProcess => ({
    get pid() {
      const child = running.get(service);
      if (child === undefined) throw new Error(`${service.name} was never started`);
      return child.pid;
    },
    kill(signal) {
      if (running.get(service)?.isRunning()) process.kill(this.pid, signal);
    },
    async restart() {
      await running.get(service)?.stop();
      await again(() => start(service));
    },
  });
  return {
    ...plan,
    postgres: handle(postgres),
    proxy: handle(proxy),
    services: services.map((service) => Object.assign(handle(service), { instance: service.instance })),
    stop,
  };
}

/** Children of a killed PostgreSQL end a moment later, and until then it cannot start again. */
async function again(start: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await start();
      return;
    } catch (error) {
      if (tries === 10) throw error;
      await delay(1_000);
    }
  }
}
