/** `npm run cluster`: a production-like cluster on this machine, with simulated providers. See docs/cluster.md. */
import { join } from 'node:path';
import { defaultTimezone } from '../../src/domain/time';
import { findHaproxy } from '../sandbox/services/find-haproxy';
import { findOrFetchPrometheus } from '../sandbox/services/find-prometheus';
import { freePort } from '../sandbox/services/free-port';
import { optional } from '../sandbox/services/optional';
import { bringUp } from '../sandbox/bring-up';
import { keptCredentials } from '../sandbox/credentials';
import { sandboxEnvironment, sandboxUrls } from '../sandbox/environment';
import { choosePorts, type Ports } from '../sandbox/ports';
import { clusterFolder, emptyFolder, makeFolders } from '../sandbox/sandbox-folder';
import { createDatabase, type Services } from '../sandbox/start-services';
import { lockFolder } from '../sandbox/start-lock';
import type { Supervisor } from '../sandbox/supervisor';
import { runUntilStopped } from '../sandbox/until-stopped';
import { balancer } from './balancer';
import { readClusterOptions } from './options';
import { clusterProcesses, planApis, planWorkers, type ApiPlan, type WorkerPlan } from './processes';
import { prometheus, type PrometheusOptions } from './prometheus';
import { startClusterServers } from './servers';
import { printClusterSummary } from './summary';
import type { TemporalPorts } from './temporal-ports';

/** This runs in dist. */
const rulesFolder = join(__dirname, '..', '..', '..', 'deploy', 'prometheus');

async function start(args: string[], supervise: Supervisor): Promise<void> {
  const options = readClusterOptions(args);
  if (process.env.MALIPO_ENV === 'live')
    throw new Error('npm run cluster is a sandbox; it does not run with MALIPO_ENV=live');
  const folder = clusterFolder();
  await makeFolders(folder);
  lockFolder(folder);
  const programs = { haproxy: await findHaproxy(), prometheus: await optional(findOrFetchPrometheus) };
  if (options.fresh) {
    await emptyFolder(folder);
    await makeFolders(folder);
  }

  const ports = await clusterPorts();
  const servers = await startClusterServers({
    folder: folder.path,
    ports,
    logFile: (name) => folder.log(name),
    start: (service) => supervise.start(service),
    temporal: { each: options.temporal },
  });
  const services: Services = {
    ...servers,
    temporalUiUrl: process.env.MALIPO_TEMPORAL_UI_URL ?? `http://127.0.0.1:${String(ports.temporalUi)}`,
    database: await createDatabase(servers.mysql),
  };
  const urls = sandboxUrls(ports, services);
  // The first of each kind uses the ports of `npm start`.
  const apis = await planApis(options.apis, urls.api, { first: { opsPort: ports.ops } });
  const workers = await planWorkers(options.workers, {
    first: { healthPort: ports.workerHealth, metricsPort: ports.workerMetrics },
  });
  urls.ops = `http://127.0.0.1:${String(apis[0]?.opsPort)}`;
  const credentials = await keptCredentials(folder);
  const { settings } = servers.temporal;
  const env = { ...sandboxEnvironment(urls, ports, services, credentials, folder), ...settings };

  const front = await balancer({
    program: programs.haproxy,
    folder: join(folder.path, 'balancer'),
    port: ports.api,
    metricsPort: await freePort(),
    servers: apis,
    timezone: defaultTimezone,
    logFile: folder.log('balancer'),
  });
  const watch =
    programs.prometheus &&
    (await prometheus({
      program: programs.prometheus.server,
      folder: join(folder.path, 'prometheus'),
      port: await freePort(),
      targets: targetsOf(apis, workers, front.metricsPort, servers.temporal.ports),
      rulesFolder,
      logFile: folder.log('prometheus'),
    }));
  const { description, demo } = await bringUp(
    {
      folder,
      services,
      urls,
      credentials,
      env,
      settings,
      processes: [
        ...clusterProcesses({ apis, workers, simulatorUrl: urls.simulator }, env, folder),
        front,
        ...(watch ? [watch] : []),
      ],
      demo: options.demo,
      withSimulatorsBooks: true,
    },
    supervise,
  );
  printClusterSummary({ description, folder, demo, apis, workers, prometheusUrl: watch?.url });
}

/** By the names of Prometheus jobs. */
function targetsOf(
  apis: ApiPlan[],
  workers: WorkerPlan[],
  balancerPort: number,
  temporal: TemporalPorts,
): PrometheusOptions['targets'] {
  return {
    'malipo-api': apis.map(({ name, opsPort }) => ({ name, port: opsPort })),
    'malipo-worker': workers.map(({ name, healthPort }) => ({ name, port: healthPort })),
    'malipo-temporal': workers.map(({ name, metricsPort }) => ({ name, port: metricsPort })),
    temporal: temporal.instances.map(({ name, metrics }) => ({ name: `temporal-${name}`, port: metrics })),
    haproxy: [{ name: 'balancer', port: balancerPort }],
  };
}

/** Ignores servers in the environment: they belong to others, and the cluster has its own. */
function clusterPorts(): Promise<Ports> {
  const { DATABASE_URL: _, TEMPORAL_ADDRESS: __, ...env } = process.env;
  return choosePorts(env);
}

void runUntilStopped(start);
