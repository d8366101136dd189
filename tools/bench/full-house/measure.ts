/** What a house costs that nobody enters, and one who does. */
import { setTimeout as delay } from 'node:timers/promises';
import { readConfig } from '../../../src/config';
import { createLog } from '../../../src/telemetry/logging';
import { createProcessContext } from '../../../src/process/process-context';
import type { ProofReport } from '../../../src/verify/run-checks';
import { createSweeper } from '../../../src/payments/recovery/sweeper';
import { openLoop } from '../load/open-loop';
import { cpuMeter } from '../measures/cpu';
import { acceptanceMs, percentiles, rounded, sum } from '../measures/statistics';
import type { House } from '../ours/house';
import { untilQuiet } from '../ours/side';
import { statementsOf } from '../ours/statements';
import { spread, type Spread } from '../ours/steady';
import { measureRestart, type RestartFigures } from './restart';
import { tasksTaken } from './tasks';
import type { Parts } from '../recovery/parts';

export interface HouseFigures {
  accept_ms: Spread;
  /** While nobody asks for anything. */
  idle: { workflow_tasks_per_s: number; statements_per_s: number; cores?: number };
  worker_restart: RestartFigures;
  /** One round of the sweeper that finds nothing due, or what is due by now. */
  sweep_ms: Spread;
  /** Whole commands, Node's own start included. */
  seconds: { verify: number; verify_news: number; payment_list: number; case_list: number };
  /** The checks of `verify` that take the most of it. */
  slowest_checks: { id: string; seconds: number }[];
  /** How many payments, vouchers and transfers the look at the news was at. */
  news: number;
}

export interface MeasurePlan {
  perSecond: number;
  acceptSeconds: number;
  idleSeconds: number;
  /** How often each page of the portal is opened. */
  pageRounds: number;
}

const sweeps = 10;
const checksShown = 5;

export async function measureHouse(
  { stack, merchant }: House,
  keeper: Parts,
  plan: MeasurePlan,
  step: <T>(title: string, work: () => Promise<T>) => Promise<T>,
  addNews: () => Promise<void> = () => Promise.resolve(),
): Promise<HouseFigures> {
  const pay = merchant.payBy('stk_push');
  const load = { perSecond: plan.perSecond, seconds: plan.acceptSeconds };
  await step('warming up', () => openLoop(pay, { ...load, seconds: plan.acceptSeconds / 2 }));
  const accepted = await step(`${plan.perSecond} payments a second`, () => openLoop(pay, load));
  if (accepted.failures[0] !== undefined) throw new Error(accepted.failures[0]);
  await untilQuiet(stack.db);
  await assertCallbacksCome(stack);
  const idle = await step('nobody asks for anything', () => measureIdle(stack, plan.idleSeconds));
  const sweepMs = await step('rounds of the sweeper', () => measureSweeps(stack.env));
  const verify = await step('verify', () => lookAtAll(stack));
  await addNews();
  const news = await step('verify --news', () => lookAtNews(stack));
  const seconds = {
    verify: verify.seconds,
    verify_news: news.seconds,
    payment_list: await secondsOf(() => stack.malipo('payment', 'list')),
    case_list: await secondsOf(() => stack.malipo('case', 'list')),
  };
  const restart = await step('a new worker', () => measureRestart(stack, keeper));
  return {
    accept_ms: spread(percentiles(acceptanceMs(accepted.samples))),
    idle,
    worker_restart: restart,
    sweep_ms: sweepMs,
    seconds,
    slowest_checks: verify.slowest,
    news: news.lookedAt,
  };
}

/** Whoever thinks that they have stopped asks the providers all the time, which is no full house's price. */
async function assertCallbacksCome({ db }: House['stack']): Promise<void> {
  const judged = await db('callback_health').where({ verdict: 'stopped' }).select('rail', 'account', 'kind');
  const [stopped] = judged;
  if (stopped)
    throw new Error(`the callbacks of ${stopped.rail} ${stopped.kind} are thought to have stopped`);
}

async function measureIdle(stack: House['stack'], seconds: number): Promise<HouseFigures['idle']> {
  const before = (await tasksTaken(stack)) ?? 0;
  const used = await cpuMeter(stack.pids);
  await delay(seconds * 1_000);
  const cpu = await used?.();
  const tasks = ((await tasksTaken(stack)) ?? 0) - before;
  // Apart from the processor time, because the log that counts them takes some.
  const statements = await statementsOf(
    stack.admin,
    () => stack.pids,
    () => delay(seconds * 1_000),
  );
  return {
    workflow_tasks_per_s: rounded(tasks / seconds),
    statements_per_s: rounded(sum(Object.values(statements)) / seconds),
    ...(cpu && { cores: rounded(sum(Object.values(cpu)) / (seconds * 1_000)) }),
  };
}

/** The worker's own sweeper, called from here: what it finds due, it wakes. */
async function measureSweeps(env: Record<string, string>): Promise<Spread> {
  const log = createLog({ level: 'error', stream: process.stderr });
  const { context, engine, close } = createProcessContext(readConfig(env), log, { env });
  try {
    const sweeper = createSweeper(context, engine);
    const took: number[] = [];
    for (let round = 0; round < sweeps; round += 1) {
      const beganAt = performance.now();
      await sweeper.sweep();
      took.push(performance.now() - beganAt);
    }
    return spread(percentiles(took));
  } finally {
    await close();
  }
}

async function lookAtAll({
  malipo,
}: House['stack']): Promise<{ seconds: number; slowest: HouseFigures['slowest_checks'] }> {
  let said = '';
  const seconds = await secondsOf(async () => {
    said = await malipo('verify', '--json');
  });
  const { checks } = JSON.parse(said) as ProofReport;
  const slowest = checks
    .map(({ id, took_ms: ms }) => ({ id, seconds: rounded(ms / 1_000) }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, checksShown);
  return { seconds, slowest };
}

async function lookAtNews({ malipo }: House['stack']): Promise<{ seconds: number; lookedAt: number }> {
  let said = '';
  const seconds = await secondsOf(async () => {
    said = await malipo('verify', '--json', '--news');
  });
  const { news, because } = JSON.parse(said) as ProofReport;
  if (!news) throw new Error(`verify --news looked at everything: ${because ?? ''}`);
  return { seconds, lookedAt: news.looked_at };
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const beganAt = performance.now();
  await work();
  return rounded((performance.now() - beganAt) / 1_000);
}
