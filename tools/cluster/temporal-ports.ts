import { freePort } from '../sandbox/services/free-port';

export const serviceNames = ['frontend', 'history', 'matching', 'worker'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** One process of a service. */
export interface TemporalInstance {
  /** For example `history-1`. */
  name: string;
  service: ServiceName;
  grpc: number;
  /** The port of its membership messages; each process has its own. */
  membership: number;
  /** For Prometheus, at /metrics. */
  metrics: number;
}

export interface TemporalPorts {
  postgres: number;
  /** Where clients connect: the balancer before the frontends. */
  api: number;
  instances: TemporalInstance[];
}

export interface TemporalSize {
  /** By default a free one. */
  proxyPort?: number | undefined;
  /** The number of processes of each service. */
  each: number;
}

/** Ports reserved until this process ends: a restarted service needs the same port. */
export async function temporalPorts({ proxyPort, each }: TemporalSize): Promise<TemporalPorts> {
  const instances: TemporalInstance[] = [];
  for (const service of serviceNames) {
    for (let n = 1; n <= each; n += 1) {
      const name = `${service}-${String(n)}`;
      const [grpc, membership, metrics] = [await freePort(), await freePort(), await freePort()];
      instances.push({ name, service, grpc, membership, metrics });
    }
  }
  return { postgres: await freePort(), api: proxyPort ?? (await freePort()), instances };
}
