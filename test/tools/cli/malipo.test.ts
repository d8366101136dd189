/** `malipo`: one program for operators and for a merchant's developers, as somebody at a terminal has it. */
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
  for (const word of ['verify', 'doctor', 'completion', 'login', 'listen', 'logs', 'trigger'])
    expect(out).toMatch(new RegExp(`^  ${word} `, 'm'));
});

it.each([
  ['frob', ''],
  ['triger', '(Did you mean trigger?)\n'],
  ['verfy', '(Did you mean verify?)\n'],
])('does not understand %s, and says what is near', (word, near) => {
  expect(malipo(word)).toEqual({
    code: 2,
    out: '',
    err: `error: unknown command '${word}'\n${near}Add --help to see what there is.\n`,
  });
});

it.each([
  [['trigger', '--frob'], 2, "error: unknown option '--frob'\nAdd --help to see what there is.\n"],
  [['listen', '--limit', 'x'], 2, expect.stringContaining('"x"')],
  [['trigger'], 1, 'There is no profile default: malipo login makes one.\n'],
  [['merchant', 'list'], 1, expect.stringContaining('No deployment is named')],
])('answers %j with exit code %i and a sentence', (args, code, err) => {
  expect(malipo(...args)).toEqual({ code, out: '', err });
});
