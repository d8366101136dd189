import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const deploy = join(__dirname, '..', '..', '..', 'deploy');
export const prometheusFolder = join(deploy, 'prometheus');
export const grafanaFolder = join(deploy, 'grafana');

export interface AlertRule {
  alert: string;
  expr: string;
  for?: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

/** In the order of the file. */
export function alertRules(): AlertRule[] {
  const text = readFileSync(join(prometheusFolder, 'alerts.yml'), 'utf8');
  const { groups } = parse(text) as { groups: { name: string; rules: AlertRule[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

export interface Panel {
  id: number;
  type: 'row' | 'stat' | 'timeseries';
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { refId: string; expr: string; legendFormat: string }[];
}

export interface Dashboard {
  uid: string;
  title: string;
  schemaVersion: number;
  templating: { list: { name: string; type: string; query: string }[] };
  panels: Panel[];
}

/** By the names of their files. */
export function dashboards(): Map<string, Dashboard> {
  return new Map(
    readdirSync(grafanaFolder).map((file) => [
      file,
      JSON.parse(readFileSync(join(grafanaFolder, file), 'utf8')) as Dashboard,
    ]),
  );
}

/** What panels ask, as Prometheus would get it. */
export function questionsOf({ panels }: Dashboard): { title: string; expr: string }[] {
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ title, expr: expr.replaceAll('$__rate_interval', '5m') })),
  );
}
