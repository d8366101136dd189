/**
 * Our processes as in production: several APIs behind the balancer, and several workers, each of which can restart
 * alone.
 */
import type { Service } from '../sandbox/services/child-process';
import { nodeProcess } from '../sandbox/processes';
import { freePort } from '../sandbox/services/free-port';
import type { SandboxFolder } from '../sandbox/sandbox-folder';
import type { BalancedServer } from './balancer';

export interface ApiPlan extends BalancedServer {
  /** Settings of this process only. */
  env: Record<string, string>;
}

export interface WorkerPlan {
  name: string;
  healthPort: number;
  /** The port of the Temporal SDK's metrics. */
  metricsPort: number;
  env: Record<string, string>;
}

const loopback = '127.0.0.1';
/** The balancer is the only trusted proxy. */
const trusted = { MALIPO_TRUSTED_PROXIES: '127.0.0.1/32' };

interface PortChoice<Known> {
  take?: () => Promise<number>;
  /** The usual ports of the first process. */
  first?: Known;
}

/** @param publicUrl the balancer's address, where providers send notifications. */
export async function planApis(
  count: number,
  publicUrl: string,
  { take = freePort, first }: PortChoice<Pick<ApiPlan, 'opsPort'>> = {},
): Promise<ApiPlan[]> {
  const plans: ApiPlan[] = [];
  for (let n = 1; n <= count; n += 1) {
    const name = `api-${String(n)}`;
    const port = await take();
    const opsPort = (n === 1 ? first?.opsPort : undefined) ?? (await take());
    const env = {
      MALIPO_API_PORT: String(port),
      MALIPO_OPS_PORT: String(opsPort),
      MALIPO_PUBLIC_URL: publicUrl,
      ...trusted,
    };
    plans.push({ name, port, opsPort, env });
  }
  return plans;
}

export async function planWorkers(
  count: number,
  { take = freePort, first }: PortChoice<Pick<WorkerPlan, 'healthPort' | 'metricsPort'>> = {},
): Promise<WorkerPlan[]> {
  const plans: WorkerPlan[] = [];
  for (let n = 1; n <= count; n += 1) {
    const name = `worker-${String(n)}`;
    const known = n === 1 ? first : undefined;
    const healthPort = known?.healthPort ?? (await take());
    const metricsPort = known?.metricsPort ?? (await take());
    const env = {
      MALIPO_WORKER_HEALTH: `${loopback}:${String(healthPort)}`,
      MALIPO_WORKER_METRICS: `${loopback}:${String(metricsPort)}`,
    };
    plans.push({ name, healthPort, metricsPort, env });
  }
  return plans;
}

/** In the order of their start. */
export function clusterProcesses(
  plans: { apis: ApiPlan[]; workers: WorkerPlan[]; simulatorUrl: string },
  env: Record<string, string>,
  folder: SandboxFolder,
): Service[] {
  const process = (name: string, program: string, readyUrl: string, own: Record<string, string> = {}) =>
    nodeProcess({ name, logName: name, program, readyUrl, env: { ...env, ...own } }, folder);
  const readiness = (port: number) => `http://${loopback}:${String(port)}/readyz`;
  return [
    process('simulator', 'simulator.js', `${plans.simulatorUrl}/control/clock`),
    ...plans.workers.map(({ name, healthPort, env: own }) =>
      process(name, 'worker.js', readiness(healthPort), own),
    ),
    ...plans.apis.map(({ name, opsPort, env: own }) => process(name, 'api.js', readiness(opsPort), own)),
  ];
}
