/** The rules that ship: they do what their tests say, and each is explained to whoever is woken by it. */
import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runCli } from '../../../src/cli/run-cli';
import type { Io } from '../../../src/cli/session';
import { findPrometheus } from '../../../tools/sandbox/services/find-prometheus';
import { alertRules, prometheusFolder } from '../../support/deploy/shipped-rules';

const root = join(__dirname, '..', '..', '..');
const rules = alertRules();
const runbooks = readFileSync(join(root, 'docs', 'runbooks.md'), 'utf8');
const sections = [...runbooks.matchAll(/^### (\w+)\n\n([\s\S]*?)(?=\n##|$(?![\s\S]))/gm)].map(
  ([, name = '', text = '']) => ({ name, text }),
);
const ofDays = readdirSync(prometheusFolder).filter((file) => file.endsWith('.test.yml'));

it.each([
  ['are rules', ['check', 'rules', 'alerts.yml']],
  ['do what their tests say', ['test', 'rules', ...ofDays]],
  ['are what the settings that ship read', ['check', 'config', 'prometheus.example.yml']],
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

it('each is told in one sentence, has a test in which it fires, and its runbook', () => {
  const tests = ofDays.map((file) => readFileSync(join(prometheusFolder, file), 'utf8')).join('\n');
  expect(rules.length).toBeGreaterThan(30);
  expect(sections.map(({ name }) => name).sort()).toEqual(rules.map(({ alert }) => alert).sort());
  for (const { alert, labels, annotations } of rules) {
    expect(labels).toEqual({ severity: expect.stringMatching(/^(?:page|ticket)$/) as string });
    expect(Object.keys(annotations)).toEqual(['summary', 'runbook']);
    expect(annotations['runbook']).toBe(`docs/runbooks.md#${alert.toLowerCase()}`);
    expect(tests).toMatch(new RegExp(`alertname: ${alert}\\n +exp_alerts:`));
  }
});

it.each(sections)(
  'the runbook of $name says what it means, what to look at, what to do, when it closes',
  ({ text }) => {
    const parts = [...text.matchAll(/^\*\*(.+?)\*\*/gm)].map(([, part]) => part);
    expect(parts).toEqual(['Means', 'Look at', 'Do', 'Closes']);
  },
);

it('runbooks lead only to sections that there are', () => {
  const anchors = new Set(sections.map(({ name }) => `#${name.toLowerCase()}`));
  const led = [...runbooks.matchAll(/\]\((#[^)]+)\)/g)].map(([, anchor = '']) => anchor);
  expect(led.length).toBeGreaterThan(0);
  expect(led.filter((anchor) => !anchors.has(anchor))).toEqual([]);
});

const commands = [...new Set([...runbooks.matchAll(/`malipo ([^`]+)`/g)].map(([, words = '']) => words))];

it.each(commands)('malipo %s is a command, with these options', async (words) => {
  const told: string[] = [];
  const io = {
    out: (text: string) => told.push(text),
    err: (text: string) => told.push(text),
  } as unknown as Io;
  const [path = ''] = words.split(/ (?=[-<"])/);
  expect(await runCli([...path.split(' '), '--help'], io)).toBe(0);
  expect(told.join('')).toContain(`Usage: malipo ${path}`);
  for (const [option] of words.matchAll(/--[a-z-]+/g)) expect(told.join('')).toContain(option);
});
