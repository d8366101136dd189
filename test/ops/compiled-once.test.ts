/** What test/support/compiled-once.cjs takes over from the process before is what that one ran. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shortLived } from '../support/short-lived';

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

it('gives the next process what the first has compiled, its arguments and its lines as ever', () => {
  write(
    `console.log(process.argv[2], require.main === module, __filename, /told\\.ts:4/.test(new Error().stack))`,
  );
  const said = (word: string) => `${word} true ${program} true\n`;
  expect(run('one')).toBe(said('one'));
  expect(kept()).toHaveLength(1);
  expect(run('two')).toBe(said('two'));
});

it('takes nothing over from a program that was another one, though as long', () => {
  write('console.log(1)');
  expect(run()).toBe('1\n');
  write('console.log(2)');
  utimesSync(program, 1, 1);
  expect(run()).toBe('2\n');
  expect(kept()).toHaveLength(1);
});
