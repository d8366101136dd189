/**
 * Runs jest, and closes with its totals on one line.
 *
 * Of a long run, the few files that failed are run again by themselves, up to twice. What passes then has lost a race,
 * its own or the product's: it is named before the totals, to be mended, but does not hold up everything else.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import secondChance from '../test/support/second-chance.cjs';
import { bootstrap, handOver } from './bootstrap.mjs';

const { together, worthASecondChance } = secondChance;

/** Who loses a race against a whole round of a worker loses it every other time. */
const chances = 2;

/**
 * @param prepare a built program that finds or fetches what the tests need, where progress can be seen.
 * @param settings what every run of jest is told, as opposed to the arguments of the first one.
 */
export async function runTests({ prepare, settings = [], args, env = {} }) {
  await bootstrap();
  const prepared = await handOver([prepare]);
  if (prepared !== 0) process.exit(prepared);

  const folder = mkdtempSync(join(tmpdir(), 'malipo-totals-'));
  try {
    const first = await jest(args);
    const again = [];
    let left = worthASecondChance(first);
    for (let chance = 0; chance < chances && left.length > 0; chance += 1) {
      const files = left.map((path) => relative(process.cwd(), path));
      process.stdout.write(`\nagain, by themselves: ${files.join(', ')}\n`);
      // What fails again may leave something open that would keep the run from ever ending.
      const results = await jest(['--runInBand', '--forceExit', '--runTestsByPath', ...files]);
      again.push(...results);
      left = results.filter(({ failed }) => failed > 0).map(({ path }) => path);
    }
    const { passed, failed, raced } = together(first, again);
    for (const path of raced)
      process.stdout.write(
        `RACE ${relative(process.cwd(), path)}: failed beside the others, passed by itself\n`,
      );
    process.stdout.write(`${passed} passed, ${failed} failed\n`);
  } catch {
    process.stderr.write('jest ended before it could count its tests\n');
    process.exitCode ||= 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }

  /** The exit code is that of the last run; what was counted is only repeated. */
  async function jest(jestArgs) {
    const totals = join(folder, 'totals');
    rmSync(totals, { force: true });
    process.exitCode = await handOver(['node_modules/jest/bin/jest.js', ...settings, ...jestArgs], {
      ...env,
      MALIPO_TEST_TOTALS: totals,
    });
    return JSON.parse(readFileSync(totals, 'utf8'));
  }
}
