import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export const prometheusFolder = join(__dirname, '..', '..', 'deploy', 'prometheus');

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
