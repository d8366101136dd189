/** Runs jest for each tier, and ends with the totals on one line. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { failedTests } from '../test/support/failed-tests.cjs';
import secondChance from '../test/support/second-chance.cjs';
import { handOver } from './bootstrap.mjs';

const { racesMax, together, worthASecondChance } = secondChance;

/** @param env the environment of every jest run. */
export function testRun(env = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-totals-'));
  const counted = [];
  const races = [];
  let isSecondChanceGiven = false;
  let isBroken = false;

  /** @returns the counts by file, and whether jest succeeded. */
  async function jest(args) {
    const totals = join(folder, 'totals');
    rmSync(totals, { force: true });
    const code = await handOver(['node_modules/jest/bin/jest.js', ...args], {
      ...env,
      MALIPO_TEST_TOTALS: totals,
    });
    try {
      return { files: JSON.parse(readFileSync(totals, 'utf8')), code };
    } catch {
      say('jest ended before it counted its tests');
      return { files: [], code: code || 1 };
    }
  }

  return {
    /**
     * @param title of these tests in their result line.
     * @param groupOf the group of a file, for a result line of its own if the files are of several tiers.
     * @param hasSecondChance whether a failed file of this path may run once more, alone.
     */
    async run({ title, args, groupOf, hasSecondChance = () => false }) {
      const startedAt = Date.now();
      const first = await jest(args);
      let { files } = first;
      const mayBeAgain = files.filter(({ path }) => hasSecondChance(path));
      const again = worthASecondChance(mayBeAgain);
      if (again.length > 0) {
        const names = again.map((path) => relative(process.cwd(), path));
        say(`\nrunning again, alone: ${names.join(', ')}`);
        // A file that fails again may leave open handles that would keep the run from ending.
        const second = await jest(['--runInBand', '--forceExit', '--runTestsByPath', ...names]);
        const both = together(files, second.files);
        files = both.files;
        races.push(...both.races);
      }
      isSecondChanceGiven ||= mayBeAgain.length > 0;
      counted.push(...files);
      // Without a failed test, jest's error is not about a test: no file was found, or a server did not start.
      if (first.code !== 0 && !first.files.some(({ failed }) => failed > 0)) isBroken = true;
      if (groupOf)
        for (const group of new Set(files.map(({ path }) => groupOf(path))))
          say(`${group}: ${lineOf(files.filter(({ path }) => groupOf(path) === group))}`);
      say(`${title}: ${lineOf(files)} in ${String(Math.round((Date.now() - startedAt) / 1_000))} s`);
    },

    /** Prints the totals, and sets the exit code. */
    close() {
      rmSync(folder, { recursive: true, force: true });
      const named = counted.map((file) => ({ ...file, path: relative(process.cwd(), file.path) }));
      for (const line of failedTests(named)) say(line);
      for (const { path, test } of races) say(`RACE ${relative(process.cwd(), path)}: ${test}`);
      if (isSecondChanceGiven) say(`RACES: ${String(races.length)}`);
      say(lineOf(counted));
      const isRed = isBroken || races.length > racesMax || counted.some(({ failed }) => failed > 0);
      process.exitCode = isRed ? 1 : 0;
    },
  };
}

function lineOf(files) {
  const sum = (key) => String(files.reduce((total, file) => total + file[key], 0));
  const skipped = sum('skipped');
  return `${sum('passed')} passed, ${sum('failed')} failed${skipped === '0' ? '' : `, ${skipped} skipped`}`;
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
