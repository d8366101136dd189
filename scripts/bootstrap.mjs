/**
 * Prepares a fresh clone with Node's built-ins only: checks Node, installs the locked dependencies, builds. Unchanged steps
 * are skipped. Progress goes to stderr, and stdout belongs to the next command.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

const oldestNode = [20, 19];
/** On a terminal one line that moves; in a log one line a minute. */
const progressMs = process.stderr.isTTY ? 1_000 : 60_000;
const eraseLine = process.stderr.isTTY ? '\r\u001b[K' : '';
/** npm prints the reason first and ends with its usage; compilers print the reason last. */
const shownLines = { first: 15, last: 25 };

/** The inputs of the build, without hidden caches and outputs. */
const builtFrom = [
  ...[
    'src',
    'workflows',
    'activities',
    'simulator',
    'tools',
    'packages/cli',
    'docs/guides',
    'CHANGELOG.md',
    // The site has their tables.
    ...['node', 'python', 'php'].map((language) => `packages/clients/${language}/README.md`),
    'test/fixtures',
  ],
  ...['tsconfig.json', 'tsconfig.build.json', 'package.json', 'package-lock.json', 'scripts/bundle.mjs'],
];

export async function bootstrap({ build = true } = {}) {
  checkNode();
  await installDependencies();
  if (build) await buildSources();
}

/** Runs another command of the project in this terminal, with this Node or another, and resolves with its exit code. */
export function handOver(args, env = {}, node = process.execPath) {
  const child = spawn(node, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  const end = () => child.kill('SIGTERM');
  // The terminal sends Ctrl-C to the child too; other signals are passed on.
  const ignore = () => undefined;
  process.on('SIGINT', ignore).on('SIGTERM', end);
  const watch = whenOrphaned(end);
  return new Promise((resolve) => {
    child.once('exit', (code) => {
      process.off('SIGINT', ignore).off('SIGTERM', end);
      clearInterval(watch);
      resolve(code ?? 1);
    });
  });
}

/** npm starts us through a shell that passes no signals on: we notice only that the shell has ended. */
function whenOrphaned(act) {
  if (process.env.npm_lifecycle_event === undefined) return undefined;
  const parent = process.ppid;
  return setInterval(() => {
    if (process.ppid !== parent) act();
  }, 500);
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [needMajor, needMinor] = oldestNode;
  if (major > needMajor || (major === needMajor && minor >= needMinor)) return;
  fail(
    `Node ${oldestNode.join('.')} or later is needed; this is ${process.versions.node}. See https://nodejs.org`,
  );
}

async function installDependencies() {
  const stamp = join(root, 'node_modules', '.malipo-lock-hash');
  const wanted = hashOf(['package-lock.json']);
  if (readIfThere(stamp) === wanted) return;
  if (isInstalled()) return writeFileSync(stamp, wanted);
  // No package in the tree needs an install script, so none may run.
  await step('installing the locked dependencies', 'npm', [
    'ci',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
  ]);
  writeFileSync(stamp, wanted);
}

/** True after a manual `npm install`: npm's own record of the installed packages agrees with the lock. */
function isInstalled() {
  const installed = readIfThere(join(root, 'node_modules', '.package-lock.json'));
  if (installed === undefined) return false;
  const has = JSON.parse(installed).packages;
  const wanted = Object.entries(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages);
  // Optional packages are for other platforms, and npm leaves them out.
  return wanted.every(
    ([path, { version, optional }]) =>
      path === '' || (path in has ? has[path].version === version : optional),
  );
}

async function buildSources() {
  const stamp = join(root, 'dist', '.malipo-source-hash');
  const wanted = hashOf(builtFrom);
  if (readIfThere(stamp) === wanted) return;
  // A failed build may leave half of its output: the previous one is gone.
  rmSync(stamp, { force: true });
  await step('building', 'npm', ['run', '--silent', 'build']);
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(stamp, wanted);
}

/** Runs a command and hides its output: it shows the time meanwhile, and on failure the end of the output. */
async function step(title, command, args) {
  const startedAt = Date.now();
  const elapsed = () => `${((Date.now() - startedAt) / 1000).toFixed(1)} s`;
  moving(`… ${title}`);
  const repeat = setInterval(() => moving(`… ${title} (${elapsed()})`), progressMs);
  const { code, output } = await run(command, args);
  clearInterval(repeat);
  if (code === 0) return say(`${eraseLine}✓ ${title} (${elapsed()})`);
  fail(
    `${eraseLine}✗ ${title} (${elapsed()}): ${[command, ...args].join(' ')} ended with ${code}\n  ${telling(output)}`,
  );
}

/** The next line of a step takes its place on a terminal. */
function moving(line) {
  process.stderr.write(process.stderr.isTTY ? `${eraseLine}${line}` : `${line}\n`);
}

function telling(output) {
  const lines = output.trimEnd().split('\n');
  const { first, last } = shownLines;
  const shown = lines.length <= first + last ? lines : [...lines.slice(0, first), '…', ...lines.slice(-last)];
  return shown.join('\n  ');
}

function run(command, args) {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const keep = (chunk) => {
    output = (output + chunk).slice(-100_000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: error.code, output: error.message }));
    child.once('close', (code, signal) => resolve({ code: code ?? signal, output }));
  });
}

function hashOf(paths) {
  const hash = createHash('sha256');
  for (const file of paths.flatMap(filesUnder).sort())
    hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

function filesUnder(path) {
  const full = join(root, path);
  if (!existsSync(full)) return [];
  if (!isFolder(full)) return [path];
  return readdirSync(full).flatMap((name) => filesUnder(join(path, name)));
}

function isFolder(path) {
  try {
    readdirSync(path);
    return true;
  } catch {
    return false;
  }
}

function readIfThere(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

function say(line) {
  process.stderr.write(`${line}\n`);
}

function fail(message) {
  say(message);
  process.exit(1);
}

/** `node scripts/bootstrap.mjs [--deps-only]` prepares the clone and runs nothing. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await bootstrap({ build: !process.argv.includes('--deps-only') });
}
