/** The nightly run: real commands, seeds of the night, and a stored line for each failure. */
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const root = join(__dirname, '..', '..', '..');
const nightlyScripts = [
  'chaos',
  'crash-points',
  'docker-drill',
  'fuzz',
  'fuzz:api',
  'sequences',
  'test',
  'test:chart',
  'test:mysql',
  'test:nodes',
];

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'malipo-nightly-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** @param npm what a shell runs instead of npm. */
async function nightly(args: string[], npm = 'exit 0'): Promise<{ code: number; lines: string[] }> {
  await writeFile(join(folder, 'npm'), `#!/bin/sh\n${npm}\n`);
  await chmod(join(folder, 'npm'), 0o755);
  const env = { ...process.env, PATH: [folder, process.env.PATH].join(delimiter) };
  const all = [join(root, 'tools', 'lab', 'nightly.mjs'), '--folder', join(folder, 'kept'), ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, all, { env }, (error, out) => {
      resolve({ code: error === null ? 0 : 1, lines: out.trimEnd().split('\n') });
    });
  });
}

it('runs existing scripts, with other seeds each night, and all crash points in a week', async () => {
  const nights = await Promise.all(
    Array.from({ length: 7 }, (_, n) => nightly(['--list', '--night', String(20_000 + n)])),
  );
  const lines = nights.flatMap((one) => one.lines);
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const named = new Set(lines.map((line) => /^npm run (\S+)(?: -- |$)/.exec(line)?.[1] ?? line));
  expect([...named].sort()).toEqual(nightlyScripts);
  expect([...named].filter((name) => !(name in scripts))).toEqual([]);
  const seeds = lines.filter((line) => line.includes('--seed'));
  expect(new Set(seeds).size).toBe(seeds.length);
  const parts = lines.flatMap((line) => /--every 7 --part (\d)/.exec(line)?.[1] ?? []);
  expect(parts.sort()).toEqual(['1', '2', '3', '4', '5', '6', '7']);
});

it('continues after a failure, ends with 1, and stores the line that repeats it', async () => {
  const of = 'case "$*" in *--seed\\ 200003*) echo seen; exit 1;; esac';
  const { code, lines } = await nightly(['--night', '20000'], of);
  expect(code).toBe(1);
  expect(lines.filter((line) => line.startsWith('✗'))).toHaveLength(1);
  expect(lines.filter((line) => line.startsWith('✓')).length).toBeGreaterThan(10);
  const kept = join(folder, 'kept');
  expect(await readFile(join(kept, 'failed'), 'utf8')).toBe(
    '2024-10-04 npm run chaos -- --seed 200003 --minutes 3\n',
  );
  const log = (await readdir(kept)).find((name) => name.startsWith('20000-08-chaos'));
  expect(await readFile(join(kept, log ?? ''), 'utf8')).toBe('seen\n');
});

it('ends with 0 if nothing is found, and stores nothing', async () => {
  const { code } = await nightly(['--night', '20000']);
  expect(code).toBe(0);
  expect(await readdir(join(folder, 'kept'))).not.toContain('failed');
});
