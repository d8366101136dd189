/**
 * `npm run fuzz -- [--seed N] [--minutes M] [--requests R] [--replay LINE]`: generated requests of any kind, sent to a
 * private stack.
 */
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startReceiver } from '../bench/ours/receiver';
import { startStack, type Stack } from '../bench/ours/stack';
import { untilQuiet } from '../bench/ours/side';
import { say, step } from '../sandbox/services/progress';
import { readOptions, type FuzzOptions } from './options';
import { canariesIn, fuzz, tryOne, type Subject } from './run';
import { targetsOf } from './targets';
import { createWorld } from './world';

/** Each request comes from another address, for the limits by address. */
const settings = { MALIPO_TRUSTED_PROXIES: '127.0.0.1/32', MALIPO_LOG_LEVEL: 'debug' };

async function subjectOf(stack: Stack): Promise<Subject> {
  const merchants = [stack.merchant, await stack.addMerchant('Second')];
  const world = createWorld(stack.db, merchants, stack.env['XB_CHALLENGE'] ?? '');
  await world.refresh();
  return { apiPort: Number(new URL(stack.apiUrl).port), targets: targetsOf(stack.env), world };
}

/** @returns the errors, line by line. */
async function run(stack: Stack, { replay, ...plan }: FuzzOptions): Promise<string[]> {
  const subject = await subjectOf(stack);
  if (replay !== undefined) {
    const { answer, why } = await tryOne(subject, new Agent(), replay);
    say(`${replay.route}: ${String(answer.status)} in ${String(Math.round(answer.ms))} ms\n${answer.text}`);
    return why === undefined ? [] : [why];
  }
  say(`seed ${String(plan.seed)}: ${String(subject.targets.length)} endpoints and notification routes`);
  const result = await fuzz(subject, plan, say);
  const rate = Math.round(result.sent / result.seconds);
  say(`sent ${String(result.sent)} requests, ${String(rate)} per second: ${JSON.stringify(result.statuses)}`);
  const faults = result.failures.map(
    ({ request, why, status }) => `${request.route}: ${why} (${String(status)})`,
  );

  faults.push(...stack.dead().map((name) => `${name} ended unexpectedly`));
  await step('waiting for the payments to end', () => untilQuiet(stack.db));
  await step('verifying the books', () => stack.verify()).catch((error: unknown) => {
    faults.push(`verify: ${error instanceof Error ? error.message : String(error)}`);
  });
  const repeated = canariesIn(await stack.logs(), plan.seed);
  faults.push(...repeated.slice(0, 20).map((line) => `a log contains sent data: ${line}`));
  return faults;
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  const root = await mkdtemp(join(tmpdir(), 'malipo-fuzz-'));
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  process.once('exit', () => {
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });
  const receiver = await startReceiver();
  const stack = await startStack(root, receiver.url, settings);
  try {
    const faults = await run(stack, options);
    for (const fault of faults) say(`✗ ${fault}`);
    say(faults.length === 0 ? '✓ no error was found' : `✗ ${String(faults.length)} errors were found`);
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
