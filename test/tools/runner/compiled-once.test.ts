/** Cached compiled code (test/support/compiled-*.cjs) behaves like newly compiled code. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shortLived } from '../../support/short-lived';

const folder = mkdtempSync(join(tmpdir(), 'malipo-compiled-'));
const program = join(folder, 'program.js');
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function run(...args: string[]): string {
  return execFileSync(process.execPath, ['--enable-source-maps', ...shortLived, program, ...args], {
    encoding: 'utf8',
  });
}

function write(code: string): void {
  // The second line of the program is the fourth of its source.
  const map = { version: 3, sources: ['told.ts'], names: [], mappings: ';AAGA' };
  writeFileSync(`${program}.map`, JSON.stringify(map));
  writeFileSync(program, `#!/usr/bin/env node\n${code}\n//# sourceMappingURL=program.js.map\n`);
}

const kept = () => readdirSync(join(folder, 'compiled'));

it('gives the next process what the first has compiled, with its usual arguments and lines', () => {
  write(
    `console.log(process.argv[2], require.main === module, __filename, /told\\.ts:4/.test(new Error().stack))`,
  );
  const expectedOf = (word: string) => `${word} true ${program} true\n`;
  expect(run('one')).toBe(expectedOf('one'));
  expect(kept()).toHaveLength(1);
  expect(run('two')).toBe(expectedOf('two'));
});

it('uses nothing of another program of the same length', () => {
  write('console.log(1)');
  expect(run()).toBe('1\n');
  write('console.log(2)');
  utimesSync(program, 1, 1);
  expect(run()).toBe('2\n');
  expect(kept()).toHaveLength(1);
});

describe('a module of the tests', () => {
  function loadedAnew(): object {
    let loaded: object = {};
    jest.isolateModules(() => {
      // eslint-disable-next-line @typescript-eslint/no-require-imports
      loaded = require('../../../src/domain/money') as object;
    });
    return loaded;
  }

  it('shares nothing with the same module of another test file', () => {
    const [one, other] = [loadedAnew(), loadedAnew()];
    expect(Object.keys(one)).toEqual(Object.keys(other));
    expect(Object.values(one)).not.toContain(Object.values(other)[0]);
  });

  it('is reported with the lines of its source', () => {
    const { stack = '' } = new Error('made in this line');
    const line = Number(/compiled-once\.test\.ts:(?<line>\d+)/.exec(stack)?.groups?.['line']);
    expect(readFileSync(__filename, 'utf8').split('\n')[line - 1]).toContain('made in this line');
  });
});
