/** The languages of the clients, and how to run a program in each, if this machine can. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import type { Operations } from '../../../packages/clients/node/src/index';
import { findExecutable } from '../../../tools/sandbox/services/on-path';
import { pythonEnvironment } from '../../../tools/sandbox/services/python-environment';

const clients = join(__dirname, '..', '..', '..', 'packages', 'clients');

export interface Language {
  name: 'node' | 'python' | 'php';
  /** Set with a reason if this machine cannot run it. */
  command: string | undefined;
  env: Record<string, string>;
}

const python = pythonEnvironment(join(__dirname, 'requirements.txt'));
if ('absent' in python)
  process.stderr.write(`… not tested: the client in python, because ${python.absent}\n`);
const php = findExecutable(['php']);
if (php === undefined) process.stderr.write('… not tested: the client in php, as there is no php\n');

export const languages: Record<Language['name'], Language> = {
  node: { name: 'node', command: process.execPath, env: {} },
  python: {
    name: 'python',
    command: 'absent' in python ? undefined : python.python,
    env: { PYTHONPATH: join(clients, 'python'), PYTHONDONTWRITEBYTECODE: '1' },
  },
  php: { name: 'php', command: php, env: { MALIPO_SOURCE: join(clients, 'php', 'src') } },
};

/**
 * Compiles a source: Node runs only JavaScript.
 * @param name of the result, whose suffix shows its kind.
 */
export function runnable(source: string, folder: string, name: `${string}.${'cjs' | 'mjs'}`): string {
  if (!source.endsWith('.ts')) return source;
  const outfile = join(folder, name);
  buildSync({
    ...{ entryPoints: [source], outfile, bundle: true, platform: 'node', logLevel: 'error' },
    format: name.endsWith('.mjs') ? 'esm' : 'cjs',
  });
  return outfile;
}

export interface SentCall {
  url: string;
  triesMax: number;
  operation: keyof Operations | 'eventPages';
  input: Record<string, unknown>;
  idempotencyKey?: string;
  isRepeat?: boolean;
}

export type Verdict =
  | { kind: 'taken'; body: object }
  | {
      kind: 'refused';
      status: number;
      code: string;
      paymentId: string | null;
      requestId: string;
      retryAfterS: number;
      message: string;
    }
  | {
      kind: 'unknown';
      idempotencyKey: string | null;
      paymentId: string | null;
      requestId: string | null;
      message: string;
    }
  | { kind: 'misuse'; message: string };

/** Lets the client of a language make the calls, one after the other. */
export function verdictsIn(language: Language, folder: string, calls: SentCall[]): Promise<Verdict[]> {
  const endings = { node: 'ts', python: 'py', php: 'php' };
  const source = join(__dirname, 'drivers', `driver.${endings[language.name]}`);
  const program = runnable(source, folder, 'driver.cjs');
  return new Promise((resolve, reject) => {
    const child = execFile(
      language.command ?? '',
      [program],
      { env: { ...process.env, ...language.env }, timeout: 120_000 },
      (error, stdout, stderr) => {
        if (error) reject(new Error(`the driver in ${language.name}: ${stderr}${stdout}`, { cause: error }));
        else resolve(JSON.parse(stdout) as Verdict[]);
      },
    );
    child.stdin?.end(JSON.stringify(calls));
  });
}
