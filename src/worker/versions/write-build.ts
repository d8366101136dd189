/** The last step of the build: it names the build, and adds the histories that its workflows must replay. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildFile, bundleFile, historiesFolder, buildIdVariable, nameBuild, type Commit } from './build';

const dist = join(__dirname, '..', '..', '..');
const root = join(dist, '..');

/** The files that a worker runs. */
const programs = [bundleFile, join('bundle', 'worker.js')];
/** The sources of the build: the commit names it only if they are unchanged. */
const sources = ['src', 'workflows', 'activities', 'package-lock.json', 'scripts/bundle.mjs'];

function git(...args: string[]): string {
  return execFileSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

/** Undefined without git, or if the folder is within another repository. */
function findCommit(): Commit | undefined {
  try {
    git('ls-files', '--error-unmatch', ...sources.slice(-1));
    return {
      commit: git('rev-parse', '--short=12', 'HEAD'),
      isChanged: git('status', '--porcelain', '--', ...sources) !== '',
    };
  } catch {
    return undefined;
  }
}

function digestOf(files: string[]): string {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(join(dist, file)));
  return hash.digest('hex').slice(0, 12);
}

const build = nameBuild({
  given: process.env[buildIdVariable],
  found: findCommit(),
  digest: () => digestOf(programs),
});
writeFileSync(join(dist, buildFile), `${JSON.stringify(build)}\n`);

const fixtures = join(root, 'test', 'fixtures');
rmSync(join(dist, historiesFolder), { recursive: true, force: true });
for (const release of existsSync(fixtures) ? readdirSync(fixtures) : []) {
  const saved = join(fixtures, release, historiesFolder);
  if (existsSync(saved)) cpSync(saved, join(dist, historiesFolder, release), { recursive: true });
}
