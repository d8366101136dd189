/** The clients' own tests, each in the usual form of its language. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findExecutable } from '../../../tools/sandbox/services/on-path';
import { languages, runnable, type Language } from './languages';

const clients = join(__dirname, '..', '..', '..', 'packages', 'clients');
const folder = mkdtempSync(join(tmpdir(), 'malipo-units-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Runner {
  language: Language['name'];
  command: string | undefined;
  args(): string[];
  /** The output when all tests have passed, with their number. */
  passed: RegExp;
}

const testsIn = (...path: string[]) =>
  readdirSync(join(clients, ...path)).filter((name) => name.endsWith('.test.ts'));

const runners: Runner[] = [
  {
    language: 'node',
    command: process.execPath,
    args: () => [
      '--test',
      '--test-reporter=tap',
      ...testsIn('node', 'test').map((name) =>
        runnable(join(clients, 'node', 'test', name), folder, `${name}.mjs`),
      ),
    ],
    passed: /^# pass (\d+)\n# fail 0$/m,
  },
  {
    language: 'python',
    command: languages.python.command,
    args: () => ['-m', 'unittest', 'discover', '--start-directory', '.', '--top-level-directory', '.'],
    passed: /^Ran (\d+) tests[^]*\nOK$/m,
  },
  {
    language: 'php',
    command: findExecutable(['phpunit']),
    args: () => ['--do-not-cache-result', '--bootstrap', 'tests/autoload.php', 'tests'],
    passed: /^OK \((\d+) tests/m,
  },
];

for (const { language, command, args, passed } of runners) {
  const itThere = command === undefined ? it.skip : it;
  if (command === undefined)
    process.stderr.write(`… not run: the tests of the client in ${language}, as nothing here runs them\n`);
  itThere(`the tests of the client in ${language} pass`, async () => {
    const output = await new Promise<string>((resolve) => {
      execFile(
        command ?? '',
        args(),
        {
          cwd: join(clients, language),
          env: { ...process.env, ...languages[language].env },
          timeout: 100_000,
        },
        (_error, stdout, stderr) => {
          resolve(`${stdout}${stderr}`);
        },
      );
    });
    expect(output).toMatch(passed);
    expect(Number(passed.exec(output)?.[1])).toBeGreaterThanOrEqual(8);
  });
}
