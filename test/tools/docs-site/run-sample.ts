/** Runs a sample of each language: compiled once, and run for each case. */
import { execFile } from 'node:child_process';
import { build } from 'esbuild';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findLanguage, languages, type LanguageName } from '../../../tools/sandbox/services/languages';
import { pythonEnvironment } from '../../../tools/sandbox/services/python-environment';
import { userCache } from '../../../tools/sandbox/services/user-cache';

const root = join(__dirname, '..', '..', '..');
const libraries = join(__dirname, 'libraries');

export interface Ran {
  code: number;
  out: string;
}

interface Command {
  command: string;
  args: string[];
  env?: Record<string, string>;
}

/** By the language of the fence. */
const languageOf: Record<string, LanguageName> = { python: 'python', php: 'php', java: 'java', go: 'go' };

/** Missing if this machine lacks the language. CI has all of them, and fails there. */
export function itFor({ language: word }: { language: string }): jest.It {
  const language = languageOf[word];
  if (language === undefined || findLanguage(language) || process.env['CI'] === 'true') return it;
  process.stderr.write(`… skipped: the samples in ${language}, which is not on this machine\n`);
  return it.skip;
}

/** @param folder the sample's own folder */
const makers: Record<string, (folder: string, code: string) => Promise<Command>> = {
  sh: (folder, code) => {
    const file = fileOf(folder, 'sample.sh', code);
    return Promise.resolve({ command: 'bash', args: ['-eu', '-o', 'pipefail', file] });
  },
  js: async (folder, code) => {
    const file = fileOf(folder, 'sample.js', code);
    const bundle = join(folder, 'bundle.js');
    await build({
      ...{ entryPoints: [file], outfile: bundle, bundle: true, platform: 'node', logLevel: 'silent' },
      alias: { 'malipo-client': join(root, 'packages', 'clients', 'node', 'src', 'index.ts') },
      nodePaths: [join(root, 'node_modules')],
    });
    return { command: process.execPath, args: [bundle] };
  },
  python: (folder, code) => {
    const file = fileOf(folder, 'sample.py', code);
    const found = pythonEnvironment(join(libraries, 'requirements.txt'));
    if ('absent' in found) throw new Error(found.absent);
    const env = { PYTHONPATH: join(root, 'packages', 'clients', 'python') };
    return Promise.resolve({ command: found.python, args: [file], env });
  },
  php: (folder, code) => {
    return Promise.resolve({ command: 'php', args: [fileOf(folder, 'sample.php', code)] });
  },
  java: async (folder, code) => {
    const [javac = '', java = '', mvn = ''] = findLanguage('java') ?? [];
    const jars = join(userCache, 'java', 'webhooks-1.1.0');
    if (!existsSync(jars)) await fetchJars(mvn, jars);
    const file = fileOf(folder, 'Webhook.java', code);
    await succeeds(javac, ['-cp', join(jars, '*'), '-d', folder, file]);
    return { command: java, args: ['-cp', `${join(jars, '*')}:${folder}`, 'Webhook'] };
  },
  go: async (folder, code) => {
    const [go = ''] = findLanguage('go') ?? [];
    for (const name of ['go.mod', 'go.sum']) copyFileSync(join(libraries, name), join(folder, name));
    fileOf(folder, 'sample.go', code);
    await succeeds(go, ['build', '-o', 'sample', '.'], folder);
    return { command: join(folder, 'sample'), args: [] };
  },
};

/** Written beside its place, and then moved there. */
async function fetchJars(mvn: string, target: string): Promise<void> {
  mkdirSync(dirname(target), { recursive: true });
  const own = mkdtempSync(`${target}.`);
  await succeeds(mvn, [
    ...['-q', '-B', '-f', join(libraries, 'pom.xml'), 'dependency:copy-dependencies'],
    `-DoutputDirectory=${own}`,
  ]);
  if (!existsSync(target)) renameSync(own, target);
}

async function succeeds(command: string, args: string[], cwd?: string): Promise<void> {
  const { code, out } = await execute({ command, args }, { cwd });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${String(code)}\n${out}`);
}

function fileOf(folder: string, name: string, code: string): string {
  const file = join(folder, name);
  writeFileSync(file, code);
  return file;
}

interface Surroundings {
  env?: Record<string, string>;
  cwd?: string | undefined;
  input?: string;
}

function execute({ command, args, env: own }: Command, { env, cwd, input = '' }: Surroundings): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ...own, ...env }, cwd, timeout: 180_000 };
    const child = execFile(command, args, options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, out: `${stdout}${stderr}` });
    });
    // A program may end without reading its input; its exit code counts.
    child.stdin?.on('error', () => undefined).end(input);
  });
}

/** @returns a function that runs it, in a new environment each time */
export async function prepareSample(
  { language, code }: { language: string; code: string },
  folder: string,
): Promise<(surroundings: Surroundings) => Promise<Ran>> {
  const make = makers[language];
  if (!make) throw new Error(`nobody knows how to run ${language}`);
  const needed = languageOf[language];
  if (needed && !findLanguage(needed)) throw new Error(`${languages[needed].commands.join(', ')} are needed`);
  const command = await make(mkdtempSync(join(folder, 'sample-')), code);
  return (surroundings) => execute(command, surroundings);
}
