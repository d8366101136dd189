import { freePort } from '../sandbox/services/free-port';
import { claimPort } from '../sandbox/services/port-claims';

export const serviceNames = ['frontend', 'history', 'matching', 'worker'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** One process of a service. */
export interface TemporalInstance {
  /** As `history-1`. */
  name: string;
  service: ServiceName;
  grpc: number;
  /** Where the processes tell each other who is there: of several on one machine, each its own. */
  membership: number;
  /** For Prometheus, at /metrics. */
  metrics: number;
}

export interface TemporalPorts {
  postgres: number;
  /** Where clients call: the balancer's, before the frontends. */
  door: number;
  instances: TemporalInstance[];
}

export interface TemporalSize {
  /** A free one unless it is said. */
  doorPort?: number | undefined;
  /** How many processes of each service there are. */
  each: number;
}

/** Ports that are ours until this process ends: a service that is started again needs the same. */
export async function temporalPorts({ doorPort, each }: TemporalSize): Promise<TemporalPorts> {
  const instances: TemporalInstance[] = [];
  for (const service of serviceNames) {
    for (let n = 1; n <= each; n += 1) {
      const name = `${service}-${String(n)}`;
      const [grpc, membership, metrics] = [await claimedPort(), await claimedPort(), await claimedPort()];
      instances.push({ name, service, grpc, membership, metrics });
    }
  }
  return { postgres: await claimedPort(), door: doorPort ?? (await claimedPort()), instances };
}

async function claimedPort(): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (claimPort(port) === undefined) return port;
  }
}
