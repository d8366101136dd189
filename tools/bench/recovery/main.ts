/**
 * `npm run bench:recovery [-- --json] [--rounds N]`: kills each part of a running stack in turn, repeatedly, under a
 * light load. It measures how soon after the part's return the first payment is accepted, and the first one settled.
 */
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { say, step } from '../../sandbox/services/progress';
import { percentile } from '../measures/statistics';
import { merchantClient } from '../ours/merchant';
import { startReceiver } from '../ours/receiver';
import { startStack } from '../ours/stack';
import { untilQuiet } from '../ours/side';
import { lightLoad } from './light-load';
import { watchedParts } from './parts';

const parts = ['API', 'worker', 'MySQL', 'Temporal', 'simulator'];
/** The target, in milliseconds from the part's return. */
const goal = { p50Ms: 5_000, maxMs: 15_000 };
/** No further kill after this time. */
const budgetMs = 170_000;

interface Recovery {
  part: string;
  downMs: number;
  acceptedMs: number;
  settledMs: number;
}

async function measure(folder: string, rounds: number): Promise<Recovery[]> {
  const receiver = await startReceiver();
  const keeper = watchedParts();
  const stack = await startStack(folder, receiver.url, {}, keeper);
  const merchant = merchantClient(stack.apiUrl, stack.merchant, receiver);
  const load = lightLoad(merchant.payBy('stk_push'));
  const found: Recovery[] = [];
  const until = performance.now() + budgetMs;
  try {
    await load.settledAfter(0);
    for (let round = 1; round <= rounds; round += 1) {
      for (const part of parts) {
        if (performance.now() > until) break;
        found.push(await step(`round ${String(round)}: kill -9 of ${part}`, () => kill(part)));
      }
    }
    await load.stop();
    await untilQuiet(stack.db);
    await step('verifying the books', () => stack.verify());
    return found;
  } finally {
    await load.stop();
    await merchant.close();
    await stack.stop();
    receiver.close();
  }

  async function kill(part: string): Promise<Recovery> {
    const killedAt = performance.timeOrigin + performance.now();
    const backAt = await keeper.killUntilBack(part);
    const [acceptedAt, settledAt] = await Promise.all([
      load.acceptedAfter(backAt),
      load.settledAfter(backAt),
    ]);
    return {
      part,
      downMs: backAt - killedAt,
      acceptedMs: acceptedAt - backAt,
      settledMs: settledAt - backAt,
    };
  }
}

function summaryOf(found: Recovery[]) {
  return [...parts, 'all'].flatMap((part) => {
    const of = found.filter((each) => part === 'all' || each.part === part);
    if (of.length === 0) return [];
    const reported = (values: number[]) => ({
      p50_ms: Math.round(percentile(values, 0.5)),
      max_ms: Math.round(Math.max(...values)),
    });
    return {
      part,
      kills: of.length,
      down: reported(of.map(({ downMs }) => downMs)),
      first_accepted: reported(of.map(({ acceptedMs }) => acceptedMs)),
      first_settled: reported(of.map(({ settledMs }) => settledMs)),
    };
  });
}

function textOf(summary: ReturnType<typeof summaryOf>): string {
  const cell = ({ p50_ms, max_ms }: { p50_ms: number; max_ms: number }) =>
    `${String(p50_ms)} / ${String(max_ms)}`.padStart(18);
  const lines = summary.map(
    ({ part, kills, down, first_accepted: accepted, first_settled: settled }) =>
      `${part.padEnd(10)}${String(kills).padStart(6)}${cell(down)}${cell(accepted)}${cell(settled)}`,
  );
  const head = `${'killed'.padEnd(10)}${'times'.padStart(6)}${'down'.padStart(18)}${'first accepted'.padStart(18)}${'first settled'.padStart(18)}`;
  return [
    head,
    ...lines,
    'p50 / max in ms; accepted and settled count from the moment the part is back',
  ].join('\n');
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { json: { type: 'boolean' }, rounds: { type: 'string' } } });
  const rounds = Number(values.rounds ?? 3);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds must be a whole number from 1');
  const folder = await mkdtemp(join(tmpdir(), 'malipo-recovery-'));
  let isOver = false;
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  process.once('exit', () => {
    if (isOver) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    else say(`the logs of the run are kept in ${folder}`);
  });
  const summary = summaryOf(await measure(folder, rounds));
  process.stdout.write(`${values.json ? JSON.stringify(summary) : textOf(summary)}\n`);
  const all = summary.at(-1);
  const isSlow = (times: { p50_ms: number; max_ms: number }) =>
    times.p50_ms > goal.p50Ms || times.max_ms > goal.maxMs;
  if (!all || isSlow(all.first_accepted) || isSlow(all.first_settled)) process.exitCode = 1;
  isOver = true;
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    say(`✗ ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  },
);
