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

/** A series that Prometheus computes for the alerts. */
export type RecordingRule = Record<'record' | 'expr', string>;

function rulesOf(): (AlertRule | RecordingRule)[] {
  const text = readFileSync(join(prometheusFolder, 'alerts.yml'), 'utf8');
  const { groups } = parse(text) as { groups: { rules: (AlertRule | RecordingRule)[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

/** In file order. */
export function alertRules(): AlertRule[] {
  return rulesOf().filter((rule) => 'alert' in rule);
}

export function recordingRules(): RecordingRule[] {
  return rulesOf().filter((rule) => 'record' in rule);
}

/** One of promtool's tests: what Prometheus scrapes, and which alerts fire. */
export interface RuleTest {
  name: string;
  input_series: { series: string }[];
  alert_rule_test: {
    alertname: string;
    exp_alerts?: { exp_labels: Record<string, string>; exp_annotations: Record<string, string> }[];
  }[];
}

export const ruleTestFiles = readdirSync(prometheusFolder).filter((file) => file.endsWith('.test.yml'));

export function ruleTests(): RuleTest[] {
  return ruleTestFiles.flatMap(
    (file) => (parse(readFileSync(join(prometheusFolder, file), 'utf8')) as { tests: RuleTest[] }).tests,
  );
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
  templating: { list: { name: string; type: string; query: unknown }[] };
  panels: Panel[];
}

/** By file name. */
export function dashboards(): Map<string, Dashboard> {
  return new Map(
    readdirSync(grafanaFolder).map((file) => [
      file,
      JSON.parse(readFileSync(join(grafanaFolder, file), 'utf8')) as Dashboard,
    ]),
  );
}

/** The queries of the panels, as Prometheus gets them. */
export function questionsOf({ panels }: Dashboard): { title: string; expr: string }[] {
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ title, expr: expr.replaceAll('$__rate_interval', '5m') })),
  );
}
