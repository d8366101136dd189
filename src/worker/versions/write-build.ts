/** The last step of the build: it gets a name, and takes along the histories that its workflows have to go on telling. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildFile, bundleFile, historiesFolder, buildIdVariable, nameBuild, type Commit } from './build';

const dist = join(__dirname, '..', '..', '..');
const root = join(dist, '..');

/** What a worker runs. */
const programs = [bundleFile, join('bundle', 'worker.js')];
/** What it is built from: as it was committed, or the commit does not name it. */
const sources = ['src', 'workflows', 'activities', 'package-lock.json', 'scripts/bundle.mjs'];

function git(...args: string[]): string {
  return execFileSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

/** Undefined without git, and where the folder only lies within somebody else's repository. */
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

const saved = join(root, 'test', 'histories');
rmSync(join(dist, historiesFolder), { recursive: true, force: true });
if (existsSync(saved)) cpSync(saved, join(dist, historiesFolder), { recursive: true });
