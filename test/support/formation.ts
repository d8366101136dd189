/** The processes of a stack's API, worker and simulator: one of each, or several as in a cluster. */
import { join } from 'node:path';
import { defaultTimezone } from '../../src/domain/time';
import { balancer, type Balancer } from '../../tools/cluster/balancer';
import { planApis, planWorkers } from '../../tools/cluster/processes';
import { findHaproxy } from '../../tools/sandbox/services/find-haproxy';
import type { ProcessName } from './stack';

export interface Member {
  name: string;
  /** Settings of this process only. */
  env: Record<string, string>;
  readyUrl: string;
}

export interface Formation {
  members: Record<ProcessName, Member[]>;
  /** Settings of all of them; the ports are those of the first. */
  env: Record<string, string>;
  /** The operators' address of an API: the first, when there are several. */
  opsUrl: string;
  /** In front of the APIs, when there are several. */
  balancer?: Balancer;
}

export interface FormationOptions {
  folder: string;
  /** The port that merchants call. */
  apiPort: number;
  simulatorUrl: string;
  take(): Promise<number>;
}

const size = { apis: 2, workers: 3 };
const at = (port: number) => `http://127.0.0.1:${String(port)}`;

export function formation(options: FormationOptions): Promise<Formation> {
  return process.env['MALIPO_TARGET'] === 'cluster' ? several(options) : oneOfEach(options);
}

async function oneOfEach({ apiPort, simulatorUrl, take }: FormationOptions): Promise<Formation> {
  const [ops, health, metrics] = await Promise.all([take(), take(), take()]);
  const member = (name: string, readyUrl: string): Member[] => [{ name, env: {}, readyUrl }];
  return {
    members: {
      api: member('api', `${at(ops)}/readyz`),
      worker: member('worker', `${at(health)}/readyz`),
      simulator: member('simulator', `${simulatorUrl}/control/clock`),
    },
    env: {
      MALIPO_API_PORT: String(apiPort),
      MALIPO_OPS_PORT: String(ops),
      MALIPO_WORKER_HEALTH: `127.0.0.1:${String(health)}`,
      MALIPO_WORKER_METRICS: `127.0.0.1:${String(metrics)}`,
    },
    opsUrl: at(ops),
  };
}

async function several({ folder, apiPort, simulatorUrl, take }: FormationOptions): Promise<Formation> {
  const apis = await planApis(size.apis, at(apiPort), { take });
  const workers = await planWorkers(size.workers, { take });
  const front = await balancer({
    program: await findHaproxy(),
    folder: join(folder, 'balancer'),
    port: apiPort,
    metricsPort: await take(),
    servers: apis,
    timezone: defaultTimezone,
    logFile: join(folder, 'balancer.log'),
  });
  return {
    members: {
      api: apis.map(({ name, env, opsPort }) => ({ name, env, readyUrl: `${at(opsPort)}/readyz` })),
      worker: workers.map(({ name, env, healthPort }) => ({
        name,
        env,
        readyUrl: `${at(healthPort)}/readyz`,
      })),
      simulator: [{ name: 'simulator', env: {}, readyUrl: `${simulatorUrl}/control/clock` }],
    },
    env: { ...apis[0]?.env, ...workers[0]?.env, MALIPO_API_PORT: String(apiPort) },
    opsUrl: at(apis[0]?.opsPort ?? 0),
    balancer: front,
  };
}
