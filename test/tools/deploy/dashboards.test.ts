/** The shipped dashboards: valid for Grafana, and generated from their tables. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findPrometheus } from '../../../tools/sandbox/services/find-prometheus';
import { selectorsIn } from '../../support/deploy/promql';
import { dashboards, grafanaFolder, questionsOf, type Panel } from '../../support/deploy/shipped-rules';

const run = promisify(execFile);
const all = dashboards();

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'malipo-dashboards-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

it('they are generated from their tables, without manual changes', async () => {
  await run(process.execPath, [join(__dirname, '..', '..', '..', 'scripts', 'dashboards.mjs'), folder]);
  expect([...all.keys()].sort()).toEqual([
    'malipo-overview.json',
    'malipo-processes.json',
    'malipo-workers.json',
  ]);
  for (const file of all.keys())
    expect(readFileSync(join(grafanaFolder, file), 'utf8')).toBe(readFileSync(join(folder, file), 'utf8'));
});

describe.each([...all])('%s', (file, dashboard) => {
  it('can be imported by Grafana, with any Prometheus', () => {
    expect(dashboard.schemaVersion).toBe(39);
    expect(file).toBe(`${dashboard.uid}.json`);
    expect(dashboard.templating.list).toMatchObject([
      { name: 'datasource', type: 'datasource' },
      { name: 'environment', type: 'query', query: { query: 'label_values(malipo_ready, environment)' } },
    ]);
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    for (const { type, title, targets = [] } of dashboard.panels) {
      expect(title).not.toBe('');
      expect({ title, asks: targets.length > 0 }).toEqual({ title, asks: type !== 'row' });
    }
  });

  it('shows one environment, and only our processes', () => {
    const selectors = questionsOf(dashboard).flatMap(({ expr }) => selectorsIn(expr));
    expect(selectors.length).toBeGreaterThan(10);
    const ours = /environment="\$environment", job=~"[^"]*malipo-[^"]*"/;
    expect(selectors.filter(({ matchers }) => !ours.test(matchers))).toEqual([]);
  });

  it('has no panel outside the page, or over another', () => {
    const { panels } = dashboard;
    expect(panels.filter(({ gridPos: { x, w } }) => x < 0 || x + w > 24)).toEqual([]);
    const upon = panels.filter((one, n) => panels.slice(n + 1).some((other) => overlaps(one, other)));
    expect(upon.map(({ title }) => title)).toEqual([]);
  });

  it('has queries that Prometheus understands', async () => {
    const found = findPrometheus();
    if (found === undefined) {
      process.stdout.write('there is no promtool: what dashboards ask was not tried\n');
      return;
    }
    // A query is like the expression of a recording rule.
    const rules = questionsOf(dashboard).map(({ expr }, n) => ({ record: `asked:${String(n)}`, expr }));
    const path = join(folder, `rules-of-${file}`);
    writeFileSync(path, JSON.stringify({ groups: [{ name: 'asked', rules }] }));
    const { stdout } = await run(found.promtool, ['check', 'rules', '--lint=none', path]);
    expect(stdout).toContain(`${String(rules.length)} rules found`);
  });
});

function overlaps({ gridPos: one }: Panel, { gridPos: other }: Panel): boolean {
  const apart =
    one.x + one.w <= other.x ||
    other.x + other.w <= one.x ||
    one.y + one.h <= other.y ||
    other.y + other.h <= one.y;
  return !apart;
}
