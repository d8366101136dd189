import type { BroughtUp } from '../sandbox/bring-up';
import type { SandboxFolder } from '../sandbox/sandbox-folder';
import { printSummary } from '../sandbox/summary';
import type { ApiPlan, WorkerPlan } from './processes';

export interface ClusterSummary extends BroughtUp {
  folder: SandboxFolder;
  apis: ApiPlan[];
  workers: WorkerPlan[];
  prometheusUrl: string | undefined;
}

export function printClusterSummary(of: ClusterSummary): void {
  const { description, folder, demo, apis, workers, prometheusUrl } = of;
  const ports = (list: number[]) => list.map(String).join(', ');
  printSummary(description, folder, demo, {
    title: 'Malipo is running (cluster).',
    further: [
      `  Balancer     to the APIs at ${ports(apis.map(({ port }) => port))}, operations at ${ports(apis.map(({ opsPort }) => opsPort))}`,
      `  Workers      readiness and metrics at ${ports(workers.map(({ healthPort }) => healthPort))}`,
      `  Temporal     ${description.temporal_address}, namespace ${description.settings['TEMPORAL_NAMESPACE'] ?? ''}`,
      prometheusUrl === undefined
        ? '  Prometheus   was not found, and is not started'
        : `  Prometheus   ${prometheusUrl}/alerts`,
    ],
    commands: ['  Commands     MALIPO_TARGET=cluster npx malipo …'],
  });
}
