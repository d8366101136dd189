/** The conditions of a run: no result is meaningful without them. */
import { cpus } from 'node:os';

export interface Circumstances {
  /** `malipo verify` on the run's database; a run with violations reports no results. */
  verify: 'clean';
  machine: { cores: number; node: string; cpu: string };
  when: string;
}

export function circumstances(now = new Date()): Circumstances {
  const processors = cpus();
  return {
    verify: 'clean',
    machine: {
      cores: processors.length,
      node: process.version,
      cpu: processors[0]?.model.trim() ?? 'unknown',
    },
    when: now.toISOString(),
  };
}

export function headlineOf({ when, machine }: Circumstances): string {
  return `${when}  ${machine.cpu}, ${machine.cores} cores, node ${machine.node}; books verified`;
}
