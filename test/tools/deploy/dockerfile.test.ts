import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const root = join(__dirname, '..', '..', '..');
const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');

/** Each build stage with what it copies from the clone. */
const stages = dockerfile
  .split(/^FROM /m)
  .slice(1)
  .map((text) => ({
    head: text.split('\n', 1)[0] ?? '',
    copied: [...text.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap((match) => String(match[1]).split(' ')),
  }));
const sources = stages.find(({ head }) => head.endsWith(' AS sources'))?.copied ?? [];

describe('Dockerfile', () => {
  it('copies the folders that the build reads, and .dockerignore lets them through', () => {
    const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
    const copied = stages.flatMap((stage) => stage.copied);
    expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    // Of the fixtures, only the histories of each release.
    const sent = copied.map((path) => (path === 'test/fixtures' ? 'test/fixtures/*/histories' : path));
    expect(sent.filter((path) => !ignored.includes(`!${path}`))).toEqual([]);
  });

  it('copies every file that the documentation site is made of', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'malipo-image-'));
    try {
      for (const path of [...sources, 'dist/src', 'dist/tools']) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        cpSync(join(root, path), join(folder, path), { recursive: true });
      }
      symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
      await promisify(execFile)(process.execPath, [join(folder, 'dist/tools/docs-site/write-site.js')]);
      expect(existsSync(join(folder, 'dist/site/index.html'))).toBe(true);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('has programs that load none of the packages that only the build uses', () => {
    for (const name of ['api', 'worker', 'portal', 'cli'])
      expect(readFileSync(join(root, 'dist', 'bundle', `${name}.js`), 'utf8')).not.toMatch(
        /require\("(?:webpack|memfs)"\)/,
      );
  });

  it('keeps of node_modules what the programs need, for this system', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'malipo-slim-'));
    const packages = {
      'node_modules/worker': { dependencies: { webpack: '5', shared: '1' } },
      'node_modules/worker/node_modules/shared': {},
      'node_modules/webpack': { dependencies: { terser: '1', shared: '2' } },
      'node_modules/terser': {},
      'node_modules/shared': {},
      'node_modules/plugin': { peerDependencies: { peer: '1' }, optionalDependencies: { absent: '1' } },
      'node_modules/peer': {},
    };
    const releases = join('node_modules', '@temporalio', 'core-bridge', 'releases');
    const ours = `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-unknown-linux-gnu`;
    try {
      for (const path of [
        ...Object.keys(packages),
        join(releases, ours),
        join(releases, 'x86_64-pc-windows-msvc'),
      ])
        mkdirSync(join(folder, path), { recursive: true });
      writeFileSync(join(folder, 'node_modules', '.package-lock.json'), JSON.stringify({ packages }));
      writeFileSync(
        join(folder, 'package.json'),
        JSON.stringify({ dependencies: { worker: '1', plugin: '1' } }),
      );
      await promisify(execFile)(process.execPath, [join(root, 'scripts', 'slim-image.mjs')], { cwd: folder });
      const kept = Object.keys(packages).filter((path) => existsSync(join(folder, path)));
      expect(kept).toEqual([
        'node_modules/worker',
        'node_modules/worker/node_modules/shared',
        'node_modules/plugin',
        'node_modules/peer',
      ]);
      expect(readdirSync(join(folder, releases))).toEqual([ours]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('makes the image of a deployment by default, without the simulator', () => {
    expect(stages.at(-1)?.head).toBe('runtime');
    const simulator = stages.filter(({ copied }) => copied.includes('simulator'));
    expect(simulator.map(({ head }) => head)).toEqual(['sources AS sandbox-build']);
    expect(dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))).not.toContain('sandbox');
  });
});
