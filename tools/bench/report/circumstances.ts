/** What stands above every report: a figure without it says nothing. */
import { cpus } from 'node:os';

export interface Circumstances {
  /** `malipo verify` on the database of the run; a run whose books are not clean reports no figures. */
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
