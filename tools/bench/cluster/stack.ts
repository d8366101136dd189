/** The cluster of `npm run cluster` in a separate folder. APIs and workers start and stop; the rest keeps running. */
import { join } from 'node:path';
import { defaultTimezone } from '../../../src/domain/time';
import { balancer } from '../../cluster/balancer';
import { clusterProcesses, planApis, planWorkers } from '../../cluster/processes';
import { startClusterServers, type ClusterServers } from '../../cluster/servers';
import { launch, type ChildProcess, type Service } from '../../sandbox/services/child-process';
import { findHaproxy } from '../../sandbox/services/find-haproxy';
import { freePort } from '../../sandbox/services/free-port';
import { step } from '../../sandbox/services/progress';
import { runCommand } from '../../sandbox/services/run-command';
import { keptCredentials } from '../../sandbox/credentials';
import { sandboxEnvironment, sandboxUrls } from '../../sandbox/environment';
import { clusterFolder, makeFolders } from '../../sandbox/sandbox-folder';
import { createDatabase } from '../../sandbox/start-services';
import { readConfig, readTemporalLine } from '../../../src/config';
import { openDatabase } from '../../../src/store/database';
import { schemaOf, withSchema } from '../../../src/store/database-address';
import { prepareSchema } from '../../../src/store/prepare-schema';
import { addMerchant, cli, customerMs, freePorts, type Stack } from '../ours/stack';

/** The numbers of processes that can vary. */
export interface Size {
  apis: number;
  workers: number;
}

export interface ClusterStack extends Pick<
  Stack,
  'apiUrl' | 'temporal' | 'db' | 'admin' | 'merchant' | 'pids' | 'verify' | 'stop'
> {
  servers: ClusterServers;
  /** Starts and stops APIs and workers to reach these numbers; resolves when the balancer sees them. */
  resize(size: Size): Promise<void>;
}

/** @param most the largest {@link Size} of the run */
export async function startClusterStack(root: string, webhookUrl: string, most: Size): Promise<ClusterStack> {
  const children = new Map<string, ChildProcess>();
  const start = (service: Service) =>
    launch({
      ...service,
      async spawn() {
        const child = await service.spawn();
        children.set(partName(service), child);
        return child;
      },
    });
  const startOne = async (service: Service): Promise<void> => {
    await start(service);
  };
  // If the run is interrupted, everything that it started ends, before its folder is deleted.
  process.prependOnceListener('exit', () => {
    for (const child of children.values()) if (child.isRunning()) process.kill(-child.pid, 'SIGKILL');
  });

  const folder = clusterFolder(root);
  await makeFolders(folder);
  const ports = await freePorts();
  const program = await findHaproxy();
  const servers = await startClusterServers({
    folder: folder.path,
    ports,
    logFile: (name) => folder.log(name),
    start: startOne,
    // One of each, so that the cost of a service is that of one process.
    temporal: { countStatements: true, each: 1 },
  });
  const services = {
    ...servers,
    temporalUiUrl: `http://127.0.0.1:${ports.temporalUi}`,
    database: await createDatabase(servers.mysql),
  };
  const urls = sandboxUrls(ports, services);
  const env = {
    ...sandboxEnvironment(urls, ports, services, await keptCredentials(folder), folder),
    ...servers.temporal.settings,
    // The generator acts for many merchants, as a proxy does.
    MALIPO_CONNECTIONS_PER_ADDRESS: '512',
    MALIPO_SIMULATOR_STK_DELAY_MS: String(customerMs),
    MALIPO_SIMULATOR_MOMO_DELAY_MS: String(customerMs),
  };
  await step('migrating the database', () => prepareSchema(services.database));
  const { auditKeys } = readConfig(env);
  const db = openDatabase(services.database.serviceUrl, { poolMax: 2, auditKeys });
  const adminUrl = withSchema(servers.mysql.adminUrl, schemaOf(services.database.serviceUrl));
  const admin = openDatabase(adminUrl, { poolMax: 8, auditKeys });
  const merchant = await addMerchant(db, env, 'Benchmark', webhookUrl);

  const apis = await planApis(most.apis, urls.api);
  const workers = await planWorkers(most.workers);
  const plans = { apis, workers, simulatorUrl: urls.simulator };
  const processes = new Map(
    clusterProcesses(plans, env, folder).map((service) => [partName(service), service]),
  );
  const front = await balancer({
    program,
    folder: join(folder.path, 'balancer'),
    port: ports.api,
    metricsPort: await freePort(),
    servers: apis,
    timezone: defaultTimezone,
    logFile: folder.log('balancer'),
  });
  const startNamed = async (name: string): Promise<void> => {
    const service = processes.get(name);
    if (!service) throw new Error(`there is no process ${name}`);
    await start(service);
  };
  await step('starting the simulator', () => startNamed('simulator'));
  // The balancer works once one API does.
  await step('starting the first worker and the first API', async () => {
    await startNamed('worker-1');
    await startNamed('api-1');
  });
  await step('starting the balancer', () => startOne(front));

  const isThere = (name: string) => children.get(name)?.isRunning() === true;
  const end = async (name: string): Promise<void> => {
    await children.get(name)?.stop();
    children.delete(name);
  };
  return {
    apiUrl: urls.api,
    temporal: {
      temporalAddress: servers.temporalAddress,
      temporalNamespace: servers.temporalNamespace,
      temporalLine: readTemporalLine(servers.temporal.settings),
    },
    db,
    admin,
    merchant,
    servers,
    get pids() {
      return Object.fromEntries([...children].map(([name, { pid }]) => [name, pid]));
    },
    async resize(size) {
      for (const [n, { name }] of workers.entries()) {
        if (n < size.workers && !isThere(name)) await startNamed(name);
        if (n >= size.workers && isThere(name)) await end(name);
      }
      for (const [n, { name }] of apis.entries()) {
        if (n < size.apis && !isThere(name)) {
          await startNamed(name);
          await front.admit(name);
        }
        if (n >= size.apis && isThere(name)) {
          await front.drain(name);
          await end(name);
        }
      }
    },
    async verify(...options) {
      await runCommand(process.execPath, [cli, 'verify', '--json', ...options], {
        env: { ...process.env, ...env },
      });
    },
    async stop() {
      await admin.destroy();
      await db.destroy();
      for (const child of [...children.values()].reverse()) await child.stop();
    },
  };
}

/** Its name in the report: short, where the user-facing name has more words. */
function partName({ name }: Service): string {
  return name.replace('the ', '').toLowerCase();
}
