/** The rules that ship: they name what our code exports, and each is explained to who is woken by it. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createMetrics } from '../../src/ops/metrics';
import { findPrometheus } from '../../src/ops/services/find-prometheus';

const root = join(__dirname, '..', '..');
const folder = join(root, 'deploy', 'prometheus');
const rules = readFileSync(join(folder, 'alerts.yml'), 'utf8')
  .split(/^ +- alert: /m)
  .slice(1)
  .map((rule) => {
    const [name = ''] = rule.split('\n');
    const expression = /^ +expr: ([\s\S]*?)^ +(?:for|labels):/m.exec(rule)?.[1] ?? '';
    return { name, rule, expression };
  });
const words = new Set([
  ...['max', 'sum', 'rate', 'time', 'abs', 'absent', 'by', 'unless'],
  ...['rail', 'account', 'kind', 'provider', 'country', 'currency'],
]);

const namedIn = (expression: string) =>
  [...expression.matchAll(/[a-z_]{2,}/g)].map(([name]) => name).filter((name) => !words.has(name));

async function exported(): Promise<string[]> {
  const text = await createMetrics().expose();
  return [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);
}

it('each alert asks for metrics that are exported, and for nothing else', async () => {
  const known = await exported();
  expect(rules.length).toBeGreaterThan(10);
  for (const { name, expression } of rules) {
    expect({ name, asks: namedIn(expression).length > 0 }).toEqual({ name, asks: true });
    expect({ name, unknown: namedIn(expression).filter((metric) => !known.includes(metric)) }).toEqual({
      name,
      unknown: [],
    });
  }
});

it('each alert is told in one sentence, has a test, and is explained in the guide', () => {
  const guide = readFileSync(join(root, 'docs', 'production.md'), 'utf8');
  const tests = readFileSync(join(folder, 'alerts.test.yml'), 'utf8');
  const explained = [...guide.matchAll(/^\| `(Malipo[A-Za-z]+)` +\|/gm)].map(([, name]) => name);
  expect(explained).toEqual(rules.map(({ name }) => name));
  for (const { name, rule } of rules) {
    expect(rule).toMatch(/summary: '.+'/);
    expect(rule).toMatch(/severity: (?:page|ticket)/);
    expect(tests).toContain(`alertname: ${name}\n`);
  }
});

it.each([
  ['are rules', ['check', 'rules', 'alerts.yml']],
  ['do what their tests say', ['test', 'rules', 'alerts.test.yml']],
])(
  'they %s, as promtool finds',
  async (_what, args) => {
    const found = findPrometheus();
    if (found === undefined) {
      process.stdout.write('there is no promtool: the alert rules were not tried\n');
      return;
    }
    const { stdout } = await promisify(execFile)(found.promtool, args, { cwd: folder, timeout: 120_000 });
    expect(stdout).toContain('SUCCESS');
  },
  150_000,
);
