import { freePort } from '../services/free-port';
import { claimPort } from '../services/port-claims';

export const serviceNames = ['frontend', 'history', 'matching', 'worker'] as const;
export type ServiceName = (typeof serviceNames)[number];

export interface ServicePorts {
  grpc: number;
  /** Where the services tell each other who is there. */
  membership: number;
  /** For Prometheus, at /metrics. */
  metrics: number;
}

export type TemporalPorts = Record<ServiceName, ServicePorts> & { postgres: number };

/** Ports that are ours until this process ends: a service that is started again needs the same. */
export async function temporalPorts(frontendPort?: number): Promise<TemporalPorts> {
  const ofService = async (grpc?: number): Promise<ServicePorts> => ({
    grpc: grpc ?? (await claimedPort()),
    membership: await claimedPort(),
    metrics: await claimedPort(),
  });
  return {
    postgres: await claimedPort(),
    frontend: await ofService(frontendPort),
    history: await ofService(),
    matching: await ofService(),
    worker: await ofService(),
  };
}

async function claimedPort(): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (claimPort(port) === undefined) return port;
  }
}
