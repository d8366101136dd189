/**
 * `npm run fuzz:api -- [--seed N] [--examples N] [--only PATH]`: schemathesis, which knows of us no more than our
 * description says, against a stack of its own.
 */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { randomInt } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startReceiver } from '../../bench/ours/receiver';
import { startStack, type Stack } from '../../bench/ours/stack';
import { untilQuiet } from '../../bench/ours/side';
import { say, step } from '../../src/ops/services/progress';
import { pythonEnvironment } from '../../src/ops/services/python-environment';

/** Below dist when it runs. */
const requirements = join(__dirname, '..', '..', '..', 'fuzz', 'described', 'requirements.txt');

/** Each says that an answer is outside of the description; what is refused or taken by mistake is for our own tests. */
const checks = [
  ...['not_a_server_error', 'status_code_conformance', 'content_type_conformance'],
  ...['response_headers_conformance', 'response_schema_conformance', 'unsupported_method', 'ignored_auth'],
];

interface Options {
  seed: string;
  examples: string;
  only: string | undefined;
}

function readOptions(args: string[]): Options {
  const options = {
    seed: { type: 'string' },
    examples: { type: 'string' },
    only: { type: 'string' },
  } as const;
  const { seed = String(randomInt(1_000_000)), examples = '20', only } = parseArgs({ args, options }).values;
  for (const [name, text] of Object.entries({ seed, examples })) {
    if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} must be a whole number`);
  }
  return { seed, examples, only };
}

/** @returns its exit code: 0 where it found nothing. */
function schemathesis(python: string, { apiUrl, merchant }: Stack, { seed, examples, only }: Options) {
  const args = [
    ...['run', `${apiUrl}/openapi.json`, '--url', apiUrl, '--seed', seed, '--max-examples', examples],
    ...['--checks', checks.join(','), '--continue-on-failure', '--no-color'],
    ...['--phases', 'examples,coverage,fuzzing', '--suppress-health-check', 'all', '--request-timeout', '60'],
    ...['--header', `X-API-Key: ${merchant.api_key}`, '--header', `X-API-Secret: ${merchant.api_secret}`],
    ...(only === undefined ? [] : ['--include-path', only]),
  ];
  // Its reports would lie in the folder that it stands in.
  const child = spawn(python, ['-m', 'schemathesis.cli', ...args], { stdio: 'inherit', cwd: tmpdir() });
  return new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      resolve(code ?? 1);
    });
  });
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  const made = await step('making a place for schemathesis', () =>
    Promise.resolve(pythonEnvironment(requirements)),
  );
  if ('absent' in made) throw new Error(made.absent);
  const root = await mkdtemp(join(tmpdir(), 'malipo-fuzz-api-'));
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  process.once('exit', () => {
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });
  const receiver = await startReceiver();
  const stack = await startStack(root, receiver.url, {});
  try {
    const code = await schemathesis(made.python, stack, options);
    const faults = stack.dead().map((name) => `${name} has ended`);
    await step('waiting for the payments to end', () => untilQuiet(stack.db));
    await step('verifying the books', () => stack.verify()).catch((error: unknown) => {
      faults.push(`verify: ${error instanceof Error ? error.message : String(error)}`);
    });
    for (const fault of faults) say(`✗ ${fault}`);
    say(
      `${code === 0 && faults.length === 0 ? '✓ nothing was found' : '✗ see above'}, with seed ${options.seed}`,
    );
    process.exitCode = code === 0 && faults.length === 0 ? 0 : 1;
  } finally {
    receiver.close();
    await stack.stop();
  }
}

main().catch((error: unknown) => {
  say(`✗ ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  process.exit(1);
});
