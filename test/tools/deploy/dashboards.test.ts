/** The dashboards that ship: as Grafana reads them, and as they are written. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findPrometheus } from '../../../tools/sandbox/services/find-prometheus';
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

it('they are what their tables say, and nothing was changed by hand', async () => {
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
  it('is one that Grafana imports, from whichever Prometheus it is given', () => {
    expect(dashboard.schemaVersion).toBe(39);
    expect(file).toBe(`${dashboard.uid}.json`);
    expect(dashboard.templating.list).toMatchObject([{ name: 'datasource', type: 'datasource' }]);
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    for (const { type, title, targets = [] } of dashboard.panels) {
      expect(title).not.toBe('');
      expect({ title, asks: targets.length > 0 }).toEqual({ title, asks: type !== 'row' });
    }
  });

  it('has no panel beside the page, or upon another', () => {
    const { panels } = dashboard;
    expect(panels.filter(({ gridPos: { x, w } }) => x < 0 || x + w > 24)).toEqual([]);
    const upon = panels.filter((one, n) => panels.slice(n + 1).some((other) => overlaps(one, other)));
    expect(upon.map(({ title }) => title)).toEqual([]);
  });

  it('asks what Prometheus understands', async () => {
    const found = findPrometheus();
    if (found === undefined) {
      process.stdout.write('there is no promtool: what dashboards ask was not tried\n');
      return;
    }
    // A question is what a rule would record.
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
