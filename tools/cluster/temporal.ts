/**
 * Temporal as it runs in production, on one machine: four services, two processes of each, over PostgreSQL, with mutual
 * TLS on every line between them and towards clients. What differs: one machine, few shards.
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
import { temporalDoor } from './temporal-door';
import { ensureNamespace, untilWorkflowsRun } from './temporal-namespace';
import { temporalPorts, type TemporalInstance, type TemporalPorts } from './temporal-ports';

export interface TemporalClusterOptions {
  /** Holds PostgreSQL's data, the configuration and the logs; a cluster that is started in it again goes on. */
  folder: string;
  certificates: Pick<ClusterCertificates, 'temporal' | 'postgres'>;
  /** Where clients call it; a free port unless it is said, as all others are. */
  doorPort?: number;
  /** How many processes of each service there are; two unless it is said. */
  each?: number;
  /** Where a service writes what it has to say; a file in the folder unless it is told. */
  log?: (name: string) => string;
  /** Lets PostgreSQL count what it is asked, which is for measuring alone. */
  countStatements?: boolean;
  /** What it is told otherwise than every cluster of ours: by what is measured, and nobody else. */
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
  /** What the product's processes need of it, as settings. */
  settings: Record<string, string>;
  /** The same for a connection of our own. */
  connection: TemporalConnectionOptions;
  postgres: PostgresService;
  /** Before the frontends: what clients call. */
  door: Service;
  services: readonly TemporalService[];
  /**
   * Brings everything up in its order, and resolves when a workflow can run.
   * @param start is asked to start each, and resolves when it is ready
   */
  bringUp(start: (service: Service) => Promise<void>): Promise<void>;
  /** Resolves when a workflow can run, which after the loss of a service takes a while longer than its start. */
  ready(): Promise<void>;
}

const namespace = 'malipo';

/** For whoever keeps the processes up himself; see {@link startTemporalCluster} for who does not. */
export async function planTemporalCluster(options: TemporalClusterOptions): Promise<TemporalClusterPlan> {
  const { folder, certificates, log = (name) => join(folder, 'logs', `${name}.log`) } = options;
  const [programs, binaries] = [await findPostgres(), await findTemporalServer()];
  const haproxy = await findHaproxy();
  const ports = await temporalPorts({ doorPort: options.doorPort, each: options.each ?? 2 });
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
  const door = await temporalDoor({
    program: haproxy,
    folder: join(folder, 'door'),
    port: ports.door,
    frontends: ports.instances.filter(({ service }) => service === 'frontend'),
    client: certificates.temporal.client,
    logFile: log('temporal-balancer'),
  });
  const address = `127.0.0.1:${String(ports.door)}`;
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
    door,
    services,
    ready,
    async bringUp(start) {
      await start(postgres);
      await prepareSchemas(binaries.sqlTool, ports.postgres, certificates.postgres.client);
      // Whom the last start has left in there is looked for by whoever joins, for half a minute.
      await postgres.query('DELETE FROM cluster_membership');
      // One alone writes down what cluster this is: of two that do it at once, the later one fails.
      const first = services.filter(({ instance }) => instance.service === 'history').slice(0, 1);
      for (const service of first) await start(service);
      // Together: each waits for the others before it is of use.
      const others = services.filter((service) => !first.includes(service));
      await Promise.all([...others, door].map(start));
      await ensureNamespace(connection, namespace);
      await ready();
    },
  };
}

/** The names are those of the product's own settings. */
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

/** Makes the tables, or brings those of an older server up to date; what is there already is left as it is. */
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
  // The system worker answers no calls; all of them take part in the membership.
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

/** Both programs read settings from the environment: none of ours is meant for them. */
function bareEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'] };
}

/** A process of the cluster, whichever it is by now. */
export interface ClusterProcess {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  /** Ends it in order if it runs, and starts it again in the same place; resolves when it is ready itself. */
  restart(): Promise<void>;
}

export interface TemporalCluster extends Omit<
  TemporalClusterPlan,
  'postgres' | 'door' | 'services' | 'bringUp'
> {
  postgres: ClusterProcess;
  door: ClusterProcess;
  services: (ClusterProcess & { readonly instance: TemporalInstance })[];
  stop(): Promise<void>;
}

/** Starts a cluster that nobody else keeps up: what is killed stays down until it is told to restart. */
export async function startTemporalCluster(options: TemporalClusterOptions): Promise<TemporalCluster> {
  const { postgres, door, services, bringUp, ...plan } = await planTemporalCluster(options);
  const running = new Map<Service, ChildProcess>();
  const start = async (service: Service): Promise<void> => {
    const child = await service.spawn();
    running.set(service, child);
    await service.ready(child);
  };
  // PostgreSQL last, so that nobody loses what is being written.
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
    door: handle(door),
    services: services.map((service) => Object.assign(handle(service), { instance: service.instance })),
    stop,
  };
}

/** The processes below a PostgreSQL that was killed end a moment after it, and no other one starts until then. */
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
