/** `malipo`: one program for operators and for a merchant's developers, as in a terminal. */
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const program = join(__dirname, '..', '..', '..', 'scripts', 'malipo.mjs');

function malipo(...args: string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: 'utf8',
    cwd: tmpdir(),
    env: { PATH: process.env.PATH, XDG_CONFIG_HOME: join(tmpdir(), 'malipo-nowhere') },
    timeout: 120_000,
  });
  return { code: status, out: stdout, err: stderr };
}

it('lists the commands of operators and of developers', () => {
  const { code, out } = malipo('--help');
  expect(code).toBe(0);
  for (const word of ['verify', 'doctor', 'completion', 'new-shop', 'login', 'listen', 'logs', 'trigger'])
    expect(out).toMatch(new RegExp(`^  ${word} `, 'm'));
  // A shop has more developers than operators.
  const headings = [...out.matchAll(/^(\S.*):$/gm)].map(([, heading]) => heading);
  expect(headings).toEqual(['Options', "For a shop's developer", 'For operators']);
  expect(out).toMatch(/developer:\n {2}new-shop /);
  expect(out.indexOf('\n  trigger ')).toBeLessThan(out.indexOf('For operators:'));
});

it.each([
  ['frob', ''],
  ['triger', '(Did you mean trigger?)\n'],
  ['verfy', '(Did you mean verify?)\n'],
])('rejects %s, and suggests a similar command', (word, near) => {
  expect(malipo(word)).toEqual({
    code: 2,
    out: '',
    err: `error: unknown command '${word}'\n${near}Add --help to list the commands and options.\n`,
  });
});

it.each([
  [
    ['trigger', '--frob'],
    2,
    "error: unknown option '--frob'\nAdd --help to list the commands and options.\n",
  ],
  [['listen', '--limit', 'x'], 2, expect.stringContaining('"x"')],
  [
    ['trigger'],
    1,
    'There is no profile default; run `source .malipo/env` in the folder of npm start, or create a profile with `npx malipo login`.\n',
  ],
  [['merchant', 'list'], 1, expect.stringContaining('There is no deployment')],
])('answers %j with exit code %i and a sentence', (args, code, err) => {
  expect(malipo(...args)).toEqual({ code, out: '', err });
});
