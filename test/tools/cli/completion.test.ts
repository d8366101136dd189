/** `malipo completion`, run by real shells: what a user gets after the tab key. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { developerCommands } from '../../../packages/cli/run';
import { runCli } from '../../../src/cli/run-cli';
import { findExecutable } from '../../../tools/sandbox/services/on-path';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'malipo-completion-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function completion(shell: string): Promise<{ code: number; out: string }> {
  let out = '';
  const code = await runCli(['completion', shell], {
    out: (text) => (out += text),
    err: () => undefined,
    env: {},
    folder: '/nowhere',
    openSession: () => Promise.reject(new Error('nothing is asked of the deployment')),
    further: developerCommands,
  });
  return { code, out };
}

async function scriptOf(shell: string): Promise<string> {
  const file = join(folder, `malipo.${shell}`);
  writeFileSync(file, (await completion(shell)).out);
  return file;
}

const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { timeout: 60_000, encoding: 'utf8' }).trim();

/** Presses the tab key in a zsh terminal, and reads its output until it has the wanted text. */
const inZsh = `
zmodload zsh/zpty
zpty zsh 'TERM=dumb zsh -f -i'
zpty -w zsh "autoload -U compinit && compinit -u -D; source $1; PS1=REA''DY"
# The prompt: from then on keys are read one by one.
zpty -r zsh shown '*READY*'
zpty -w -n zsh "$2"$'\\t'
zpty -r zsh shown "*$3*"
zpty -d zsh
print -r -- "$3"
`;

/** How each shell completes a line that should become `whole`. */
const shells: Record<string, (script: string, line: string, whole: string) => string> = {
  bash: (script, line) => {
    const words = line.split(' ');
    const ask = `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${String(words.length - 1)}; _malipo; echo "$COMPREPLY"`;
    return [...words.slice(0, -1), run('bash', '-c', `source ${script}; ${ask}`)].join(' ');
  },
  zsh(script, line, whole) {
    const file = join(folder, 'press-tab.zsh');
    writeFileSync(file, inZsh);
    return run('zsh', '-f', file, script, line, whole);
  },
  fish(script, line) {
    const reported = run('fish', '--no-config', '-c', `source ${script}; complete -C '${line}'`);
    return [...line.split(' ').slice(0, -1), reported].join(' ');
  },
};

describe('malipo completion', () => {
  for (const [shell, complete] of Object.entries(shells)) {
    // On a machine where the shell cannot be installed, it is not tested.
    const isThere = findExecutable([shell]) !== undefined;
    (isThere ? it : it.skip).each([
      ['malipo tri', 'malipo trigger'],
      ['malipo webhook re', 'malipo webhook replay'],
      ['malipo payment show an-id --js', 'malipo payment show an-id --json'],
      ['malipo listen --forw', 'malipo listen --forward-to'],
    ])(`makes of "%s" "%s" in ${shell}`, async (line, whole) => {
      expect(complete(await scriptOf(shell), line, whole)).toBe(whole);
    });
  }

  it('rejects an unknown shell', async () => {
    expect((await completion('powershell')).code).toBe(2);
  });
});
