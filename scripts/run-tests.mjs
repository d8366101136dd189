/** Runs jest, as often as the tiers ask for, and closes with the totals on one line. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import secondChance from '../test/support/second-chance.cjs';
import { handOver } from './bootstrap.mjs';

const { racesMax, together, worthASecondChance } = secondChance;

/** @param env what every run of jest has in its environment. */
export function testRun(env = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-totals-'));
  const counted = [];
  const races = [];
  let isSecondChanceGiven = false;
  let isBroken = false;

  /** @returns what was counted, by file, and whether jest itself was content. */
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
      say('jest ended before it could count its tests');
      return { files: [], code: code || 1 };
    }
  }

  return {
    /**
     * @param title of these tests in the line that follows them.
     * @param groupOf what a file is counted with in a line of its own, where these are of several tiers.
     * @param hasSecondChance whether what fails there may be run once more by itself, by the path of a file.
     */
    async run({ title, args, groupOf, hasSecondChance = () => false }) {
      const startedAt = Date.now();
      const first = await jest(args);
      let { files } = first;
      const mayBeAgain = files.filter(({ path }) => hasSecondChance(path));
      const again = worthASecondChance(mayBeAgain);
      if (again.length > 0) {
        const names = again.map((path) => relative(process.cwd(), path));
        say(`\nonce more, by themselves: ${names.join(', ')}`);
        // What fails again may leave something open that would keep the run from ever ending.
        const second = await jest(['--runInBand', '--forceExit', '--runTestsByPath', ...names]);
        const both = together(files, second.files);
        files = both.files;
        races.push(...both.races);
      }
      isSecondChanceGiven ||= mayBeAgain.length > 0;
      counted.push(...files);
      // Where no test failed, what jest complains of is no test: no file was found, or a server did not start.
      if (first.code !== 0 && !first.files.some(({ failed }) => failed > 0)) isBroken = true;
      if (groupOf)
        for (const group of new Set(files.map(({ path }) => groupOf(path))))
          say(`${group}: ${lineOf(files.filter(({ path }) => groupOf(path) === group))}`);
      say(`${title}: ${lineOf(files)} in ${String(Math.round((Date.now() - startedAt) / 1_000))} s`);
    },

    /** Prints the totals, and sets the exit code. */
    close() {
      rmSync(folder, { recursive: true, force: true });
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
