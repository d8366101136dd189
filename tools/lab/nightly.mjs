/**
 * `npm run nightly [-- --night N] [--folder FOLDER] [--list]`; see docs/long-tests.md. Runs the random tests, each night
 * with other seeds, the slowest tests of the lab itself, the unit tests on further releases of Node, the Helm chart, and the tests on
 * MySQL. Stores the command of each failure.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import tiersOfTests from '../../test/support/tiers.cjs';

const today = Math.floor(Date.now() / 86_400_000);
const { values } = parseArgs({
  options: {
    // Days since 1970: the same night has the same seeds.
    night: { type: 'string', default: String(today) },
    folder: { type: 'string', default: join('.malipo', 'nightly') },
    list: { type: 'boolean', default: false },
  },
});
const night = Number(values.night);
if (!Number.isInteger(night) || night < 0) throw new Error('--night must be a number of days');

/** All crash points are tried within this many nights. */
const crashNights = 7;
const chaosSeeds = 10;

/** Each is a separate command, so that a failure names its command. */
const runs = [
  ['sequences', '--seed', night, '--runs', 2_000, '--database-runs', 300],
  ['fuzz', '--seed', night, '--minutes', 20],
  ['fuzz:api', '--seed', night],
  ['crash-points', '--every', crashNights, '--part', (night % crashNights) + 1],
  ...Array.from({ length: chaosSeeds }, (_, n) => [
    'chaos',
    '--seed',
    night * chaosSeeds + n,
    '--minutes',
    3,
  ]),
  ['test', ...tiersOfTests.nightly],
  ['test:nodes'],
  ['test:chart'],
  ['test:mysql'],
  ['docker-drill', 'production'],
].map(([script, ...options]) => [
  ...['run', script],
  ...(options.length === 0 ? [] : ['--', ...options.map(String)]),
]);

const lineOf = (args) => `npm ${args.join(' ')}`;

if (values.list) for (const args of runs) console.log(lineOf(args));
else await runAll();

async function runAll() {
  mkdirSync(values.folder, { recursive: true });
  const failed = [];
  for (const [n, args] of runs.entries()) {
    const log = join(
      values.folder,
      `${String(night)}-${String(n + 1).padStart(2, '0')}-${args[1].replace(':', '-')}.log`,
    );
    const code = await run(args, log);
    console.log(`${code === 0 ? '✓' : '✗'} ${lineOf(args)}${code === 0 ? '' : ` (${log})`}`);
    if (code !== 0) failed.push(args);
  }
  const kept = join(values.folder, 'failed');
  const date = new Date(night * 86_400_000).toISOString().slice(0, 10);
  for (const args of failed) appendFileSync(kept, `${date} ${lineOf(args)}\n`);
  if (failed.length > 0) {
    console.log(`${String(failed.length)} of ${String(runs.length)} failed; their logs are in ${kept}`);
    process.exitCode = 1;
  }
}

/** @returns its exit code; its output is in the log. */
function run(args, log) {
  return new Promise((resolve, reject) => {
    const to = createWriteStream(log);
    const child = spawn('npm', args, { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.pipe(to, { end: false });
    child.stderr.pipe(to, { end: false });
    child.on('error', reject);
    child.on('close', (code) => to.end(() => resolve(code ?? 1)));
  });
}
