/** The processes as the build makes them: one file each. */
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { join, resolve } from 'node:path';

const root = join(__dirname, '..', '..', '..');
const bundles = join(root, 'dist', 'bundle');

describe.each(['api', 'worker', 'portal', 'simulator', 'cli'])('dist/bundle/%s.js', (name) => {
  const map = () => JSON.parse(readFileSync(join(bundles, `${name}.js.map`), 'utf8')) as SourceMapPayload;

  it('reports our lines as in the sources', () => {
    const ours = map().sources.filter((source) => source.endsWith('.ts'));
    expect(ours.length).toBeGreaterThan(40);
    expect(ours.filter((source) => !existsSync(resolve(bundles, source)))).toEqual([]);
  });

  it('loads native parts from their places', () => {
    const code = readFileSync(join(bundles, `${name}.js`), 'utf8');
    expect(code.includes('@temporalio/core-bridge/common.js')).toBe(
      ['worker', 'cli', 'portal'].includes(name),
    );
  });
});

it('reports a line of a bundle as that of its source', () => {
  const code = readFileSync(join(bundles, 'api.js'), 'utf8').split('\n');
  const map = new SourceMap(
    JSON.parse(readFileSync(join(bundles, 'api.js.map'), 'utf8')) as SourceMapPayload,
  );
  const line = code.findIndex((text) => text.includes('function walletBalance('));
  const entry = map.findEntry(line, code[line]?.indexOf('function') ?? 0);
  const source = join('src', 'ledger', 'balances.ts');
  expect(entry).toMatchObject({ originalSource: expect.stringContaining(source) as string });
  const lines = readFileSync(join(root, source), 'utf8').split('\n');
  expect(lines[('originalLine' in entry && entry.originalLine) || 0]).toContain('function walletBalance(');
});
