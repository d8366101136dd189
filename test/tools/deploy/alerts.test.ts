/** The shipped alert rules: promtool tests them, and each has a runbook for the operator. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { runCli } from '../../../src/cli/run-cli';
import type { Io } from '../../../src/cli/session';
import { findPrometheus } from '../../../tools/sandbox/services/find-prometheus';
import { selectorsIn } from '../../support/deploy/promql';
import {
  alertRules,
  prometheusFolder,
  recordingRules,
  ruleTestFiles,
  ruleTests,
} from '../../support/deploy/shipped-rules';

const root = join(__dirname, '..', '..', '..');
const rules = alertRules();
const runbooks = readFileSync(join(root, 'docs', 'runbooks.md'), 'utf8');
const sections = [...runbooks.matchAll(/^### (\w+)\n\n([\s\S]*?)(?=\n##|$(?![\s\S]))/gm)].map(
  ([, name = '', text = '']) => ({ name, text }),
);

it.each([
  ['are rules', ['check', 'rules', 'alerts.yml']],
  ['do what their tests say', ['test', 'rules', ...ruleTestFiles]],
  ['are the ones that the shipped settings load', ['check', 'config', 'prometheus.example.yml']],
])(
  'they %s, as promtool finds',
  async (_what, args) => {
    const found = findPrometheus();
    if (found === undefined) {
      process.stdout.write('there is no promtool: the alert rules were not tried\n');
      return;
    }
    const { stdout } = await promisify(execFile)(found.promtool, args, {
      cwd: prometheusFolder,
      timeout: 120_000,
    });
    expect(stdout).toContain('SUCCESS');
    expect(stdout).not.toContain('FAILED');
  },
  150_000,
);

it('each has a summary, a test in which it fires, and its runbook', () => {
  const fired = new Set(
    ruleTests().flatMap(({ alert_rule_test: tests }) =>
      tests.filter(({ exp_alerts: alerts }) => alerts).map(({ alertname }) => alertname),
    ),
  );
  expect(rules.length).toBeGreaterThan(30);
  expect(sections.map(({ name }) => name).sort()).toEqual(rules.map(({ alert }) => alert).sort());
  for (const { alert, labels, annotations } of rules) {
    expect(labels).toEqual({ severity: expect.stringMatching(/^(?:page|ticket)$/) as string });
    expect(Object.keys(annotations)).toEqual(['summary', 'runbook']);
    expect(annotations['runbook']).toBe(`docs/runbooks.md#${alert.toLowerCase()}`);
    expect([...fired]).toContain(alert);
  }
});

describe('one Prometheus with two environments', () => {
  it('gets the environment of each target from the shipped settings, and that of a metric from its process', () => {
    const text = readFileSync(join(prometheusFolder, 'prometheus.example.yml'), 'utf8');
    const { scrape_configs: jobs } = parse(text) as {
      scrape_configs: { job_name: string; honor_labels?: boolean; relabel_configs: object[] }[];
    };
    expect(jobs.map(({ job_name: job, honor_labels: isHonored }) => [job, isHonored])).toEqual([
      ['malipo-api', true],
      ['malipo-portal', true],
      ['malipo-worker', true],
      ['malipo-temporal', undefined],
      ['malipo-proxy', undefined],
    ]);
    for (const { relabel_configs: relabelled } of jobs)
      expect(relabelled).toEqual([{ target_label: 'environment', replacement: 'live' }]);
  });

  const series = recordingRules().map(({ record }) => record);

  it.each([...rules, ...recordingRules()])('every selector of $alert$record names our jobs', ({ expr }) => {
    const ours = selectorsIn(expr).filter(({ metric }) => !series.includes(metric));
    expect(ours.length).toBeGreaterThan(0);
    expect(ours.filter(({ matchers }) => !/(?:^|,)job=~"[^"]*malipo-[^"]*"/.test(matchers))).toEqual([]);
  });

  it.each(rules)('$alert tells environments apart, and says which one it means', ({ expr, annotations }) => {
    const kept = [...expr.matchAll(/\b(?:sum|min|max|count|group|quantile) (?:by \((\w+))?/g)].map(
      ([, first]) => first,
    );
    expect(kept.length).toBeGreaterThan(0);
    expect(new Set(kept)).toEqual(new Set(['environment']));
    expect(annotations['summary']).toMatch(/^\{\{ \$labels\.environment \}\}: /);
  });

  it.each(rules.map(({ alert }) => alert))('a test shows that %s is of the broken one only', (alert) => {
    const shown = ruleTests().filter(({ input_series: scraped, alert_rule_test: tests }) => {
      const environments = new Set(
        scraped.flatMap(({ series: one }) => /environment="(\w+)"/.exec(one)?.[1] ?? []),
      );
      const named = tests
        .filter(({ alertname }) => alertname === alert)
        .flatMap(({ exp_alerts: alerts = [] }) =>
          alerts.map(({ exp_labels: labels }) => labels['environment']),
        );
      return environments.size === 2 && named.includes('live');
    });
    expect(shown).not.toEqual([]);
  });
});

it.each(sections)(
  'the runbook of $name says what to do, after what it means and where to look if the summary does not',
  ({ text }) => {
    const parts = [...text.matchAll(/^\*\*(.+?)\*\*/gm)].map(([, part]) => part);
    expect(parts).toContain('Do');
    expect(parts).toEqual(['Means', 'Look at', 'Do', 'Closes'].filter((part) => parts.includes(part)));
  },
);

it('runbooks link only to existing sections', () => {
  const titles = [...runbooks.matchAll(/^##+ (.+)$/gm)].map(([, title = '']) => title.toLowerCase());
  const anchors = new Set(
    titles.map((title) => `#${title.replaceAll(/[^\w\- ]/g, '').replaceAll(' ', '-')}`),
  );
  const led = [...runbooks.matchAll(/\]\((#[^)]+)\)/g)].map(([, anchor = '']) => anchor);
  expect(led.length).toBeGreaterThan(0);
  expect(led.filter((anchor) => !anchors.has(anchor))).toEqual([]);
});

const commands = [...new Set([...runbooks.matchAll(/`malipo ([^`]+)`/g)].map(([, words = '']) => words))];

it.each(commands)('malipo %s is a command, with these options', async (words) => {
  const reported: string[] = [];
  const io = {
    out: (text: string) => reported.push(text),
    err: (text: string) => reported.push(text),
  } as unknown as Io;
  const [path = ''] = words.split(/ (?=[-<"])/);
  expect(await runCli([...path.split(' '), '--help'], io)).toBe(0);
  expect(reported.join('')).toContain(`Usage: malipo ${path}`);
  for (const [option] of words.matchAll(/--[a-z-]+/g)) expect(reported.join('')).toContain(option);
});
