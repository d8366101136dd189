/**
 * `npm test [-- [PATH…] [jest's options]]`: the everyday tests, or those of the paths, of any tier. `npm run test:e2e`,
 * `test:faults`, `test:tools` run one tier; `npm run test:all` runs all. See docs/testing.md.
 */
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import tiersOfTests from '../test/support/tiers.cjs';
import { bootstrap, handOver } from './bootstrap.mjs';
import { testRun } from './run-tests.mjs';

const { everyday, nightly, tierOf, tiers, toolsFor } = tiersOfTests;
const root = fileURLToPath(new URL('..', import.meta.url));

/** Options of jest with a value, which is not a path. */
const withWord = ['-t', '--testNamePattern', '-w', '--maxWorkers', '--seed', '--shard'];

const [asked, ...args] = process.argv.slice(2);
const groups = {
  everyday,
  all: Object.keys(tiers),
  ...Object.fromEntries(Object.keys(tiers).map((tier) => [tier, [tier]])),
};
const wanted = groups[asked];
if (wanted === undefined) throw new Error(`there is no tier ${String(asked)}`);

const files = readdirSync(join(root, 'test'), { recursive: true })
  .map((file) => `test/${file.replaceAll('\\', '/')}`)
  .filter((file) => file.endsWith('.test.ts') && tierOf(file) !== undefined);
const paths = args.filter((arg, at) => !arg.startsWith('-') && !withWord.includes(args[at - 1]));

await bootstrap({ build: false });
const run = testRun();
const isPrepared = await (paths.length > 0 ? runPaths() : runTiers());
run.close();
if (!isPrepared) process.exitCode = 1;

/** Runs the named files, of any tier, in one jest run, and prepares what their tiers need. */
async function runPaths() {
  const named = paths.map((path) => new RegExp(path, 'i'));
  const chosen = files.filter((file) => named.some((pattern) => pattern.test(join(root, file))));
  const of = Object.keys(tiers).filter((tier) => chosen.some((file) => tierOf(file) === tier));
  if (of.length === 0) fail(`No test file matches ${paths.join(' or ')}.`);
  if (!(await prepare(of, chosen))) return false;
  await run.run({ title: of.join(', '), args: [...args, '--selectProjects', ...of] });
  return true;
}

/**
 * Tiers that start no process of ours begin at once, while the build for the others runs. Tiers with their own processes
 * per file run at the same time: while one waits for a timer or its last file, another uses the processors.
 */
async function runTiers() {
  const isBuilt = (tier) => tiers[tier].built;
  const atOnce = wanted.filter((tier) => !isBuilt(tier));
  const later = wanted.filter(isBuilt);
  const prepared = prepare(
    later,
    files.filter((file) => later.includes(tierOf(file))),
  );
  if (atOnce.length > 0) await runTier(atOnce);
  if (!(await prepared)) return false;
  const isSmoke = (tier) => tier === 'smoke';
  for (const together of [later.filter(isSmoke), later.filter((tier) => !isSmoke(tier))])
    if (together.length > 0) await runTier(together);
  return true;
}

function runTier(of) {
  // All files of the smoke tier share one stack.
  const settings = of.includes('smoke') ? ['--runInBand'] : [];
  const apart = ['--testPathIgnorePatterns', '/node_modules/', ...nightly];
  return run.run({
    title: of.join(', '),
    args: [...args, ...settings, ...apart, '--selectProjects', ...of],
    ...(of.length > 1 && { groupOf: tierOfFile }),
    hasSecondChance: (path) => tierOfFile(path) === 'faults',
  });
}

function tierOfFile(path) {
  return tierOf(relative(root, path).replaceAll('\\', '/'));
}

/** @returns whether everything is available that these tiers, and their chosen files, require. */
async function prepare(of, chosen) {
  if (!of.some((tier) => tiers[tier].built)) return true;
  const servers = [...new Set(of.flatMap((tier) => tiers[tier].servers))];
  if ((await handOver(['scripts/bootstrap.mjs'])) !== 0) return false;
  return (
    (await handOver(['dist/tools/sandbox/services/prepare-tests.js', ...servers, ...toolsFor(chosen)])) === 0
  );
}

function fail(line) {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}
