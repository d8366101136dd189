/**
 * `npm run fuzz:api -- [--seed N] [--cases N] [--only PATH]…`: schemathesis against a private stack. It knows only our
 * description, and what `hooks.py` adds from this run.
 */
import { spawn } from 'node:child_process';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { startReceiver } from '../../bench/ours/receiver';
import { startStack, type Stack } from '../../bench/ours/stack';
import { untilQuiet } from '../../bench/ours/side';
import { say, step } from '../../sandbox/services/progress';
import { pythonEnvironment } from '../../sandbox/services/python-environment';
import type { Description } from '../../docs-site/reference';
import { readCounts } from './counts';
import { fitsOf } from './fits';
import { lifeOf, prepareMerchant } from './life';
import { readOptions, type Options } from './options';
import { readPools } from './pools';

/** It runs in dist. */
const folder = join(__dirname, '..', '..', '..', '..', 'tools', 'fuzz', 'described');
const requirements = join(folder, 'requirements.txt');

/** Each finds an answer that the description does not allow; our own tests check wrong accepts and errors. */
const checks = [
  ...['not_a_server_error', 'status_code_conformance', 'content_type_conformance'],
  ...['response_headers_conformance', 'response_schema_conformance', 'unsupported_method', 'ignored_auth'],
];

const settings = {
  // Each request comes from another address.
  MALIPO_TRUSTED_PROXIES: '127.0.0.1/32',
  // Only the provider can sign, and an unsigned notification is rejected early.
  MOMO_SIGNED_CALLBACKS: 'false',
};
const refreshMs = 3_000;
const firstTimes = 3;

interface Run extends Options {
  python: string;
  description: Description;
  files: { world: string; counts: string };
}

/** One process uses part of a processor, and waits for each answer. */
const atOnce = 2;

/** @returns whether no error was found. */
async function schemathesis(stack: Stack, run: Run): Promise<boolean> {
  const paths = Object.keys(run.description.paths).filter(
    (path) => run.only.length === 0 || run.only.some((beginning) => path.startsWith(beginning)),
  );
  if (paths.length === 0) throw new Error('no path begins with the value of --only');
  const operations = paths.flatMap((path) => Object.keys(run.description.paths[path] ?? {})).length;
  const examples = Math.ceil(run.cases / operations);
  const parts = Array.from({ length: Math.min(atOnce, paths.length) }, (_, k) =>
    paths.filter((_path, n) => n % atOnce === k),
  );
  const codes = await Promise.all(parts.map((part, k) => tried(stack, run, part, { examples, k })));
  return codes.every((code) => code === 0);
}

/** @returns the exit code of one process; its output is printed after its end. */
function tried(
  { apiUrl, merchant }: Stack,
  run: Run,
  paths: readonly string[],
  { examples, k }: { examples: number; k: number },
): Promise<number> {
  const args = [
    ...['run', `${apiUrl}/openapi.json`, '--url', apiUrl, '--seed', run.seed],
    ...['--max-examples', String(examples)],
    ...['--checks', checks.join(','), '--continue-on-failure', '--no-color', '--no-shrink'],
    // What a run learns does not help the next one: its ids differ.
    ...['--generation-database', 'none'],
    ...['--phases', 'examples,coverage,fuzzing', '--suppress-health-check', 'all', '--request-timeout', '60'],
    ...['--header', `X-API-Key: ${merchant.api_key}`, '--header', `X-API-Secret: ${merchant.api_secret}`],
    ...paths.flatMap((path) => ['--include-path', path]),
  ];
  const env = {
    ...process.env,
    SCHEMATHESIS_HOOKS: join(folder, 'hooks.py'),
    MALIPO_FUZZ_WORLD: run.files.world,
    MALIPO_FUZZ_COUNTS: join(run.files.counts, `${String(k)}.json`),
    PYTHONDONTWRITEBYTECODE: '1',
  };
  // Its own files would be in the working directory.
  const child = spawn(run.python, ['-m', 'schemathesis.cli', ...args], { cwd: run.files.counts, env });
  process.once('exit', () => child.kill());
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)));
  return new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      say(output);
      // It exits with 0 even if one of its threads has died before a phase began.
      resolve(/Exception in thread|nothing to test/.test(output) ? 1 : (code ?? 1));
    });
  });
}

/** Repeats the activity and rewrites the file until `end` is called. */
async function keepReporting(stack: Stack, run: Run, webhookUrl: string): Promise<{ end(): Promise<void> }> {
  const live = await lifeOf(stack);
  const fits = fitsOf(run.description);
  const report = async () => {
    await live();
    const world = JSON.stringify({ fits, pools: await readPools(stack, webhookUrl) });
    // Written atomically.
    writeFileSync(`${run.files.world}.new`, world);
    renameSync(`${run.files.world}.new`, run.files.world);
  };
  // Orders are paid and refunded by then.
  for (let n = 0; n < firstTimes; n += 1) {
    await report();
    await delay(refreshMs);
  }
  const over = new AbortController();
  const isOver = () => over.signal.aborted;
  const mailing = (async () => {
    while (!isOver()) {
      await delay(refreshMs, undefined, { signal: over.signal }).catch(() => undefined);
      // An error of the activity does not matter; the requests do.
      if (!isOver()) await report().catch(() => undefined);
    }
  })();
  return {
    async end() {
      over.abort();
      await mailing;
    },
  };
}

/** @returns the errors found beside schemathesis' own report. */
async function tryAll(stack: Stack, run: Run, webhookUrl: string): Promise<string[]> {
  await prepareMerchant(stack);
  const mailing = await keepReporting(stack, run, webhookUrl);
  const from = Date.now();
  const isClean = await schemathesis(stack, run);
  const seconds = (Date.now() - from) / 1_000;
  await mailing.end();
  const faults = stack.dead().map((name) => `${name} ended unexpectedly`);
  if (!isClean) faults.push('schemathesis: see above');
  const { cases, text, unseen } = readCounts(run.files.counts);
  say(
    `${text}\n${String(cases)} requests in ${seconds.toFixed(0)} s: ${(cases / seconds).toFixed(0)} a second`,
  );
  for (const one of unseen) say(`… ${one}`);
  await step('waiting for the payments to end', () => untilQuiet(stack.db, 300_000));
  await step('verifying the books', () => stack.verify()).catch((error: unknown) => {
    faults.push(`verify: ${error instanceof Error ? error.message : String(error)}`);
  });
  return faults;
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  const made = await step('installing schemathesis', () => Promise.resolve(pythonEnvironment(requirements)));
  if ('absent' in made) throw new Error(made.absent);
  const root = await mkdtemp(join(tmpdir(), 'malipo-fuzz-api-'));
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  process.once('exit', () => {
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });
  const receiver = await startReceiver();
  const stack = await startStack(root, receiver.url, settings);
  try {
    const described = await request(`${stack.apiUrl}/openapi.json`);
    const description = (await described.body.json()) as Description;
    const files = { world: join(root, 'world.json'), counts: await mkdtemp(join(root, 'counts-')) };
    const run = { ...options, python: made.python, description, files };
    const faults = await tryAll(stack, run, receiver.url);
    for (const fault of faults) say(`✗ ${fault}`);
    say(`${faults.length === 0 ? '✓ no error was found' : '✗ see above'}, with seed ${options.seed}`);
    process.exitCode = faults.length === 0 ? 0 : 1;
  } finally {
    receiver.close();
    await stack.stop();
  }
}

main().catch((error: unknown) => {
  say(`✗ ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  process.exit(1);
});
