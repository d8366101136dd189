/** The cost of a full deployment when idle, and for single requests. */
import { setTimeout as delay } from 'node:timers/promises';
import { readConfig } from '../../../src/config';
import { createLog } from '../../../src/telemetry/logging';
import { createProcessContext } from '../../../src/process/process-context';
import type { VerifyRunReport } from '../../../src/verify/run-checks';
import { createSweeper } from '../../../src/payments/recovery/sweeper';
import { openLoop } from '../load/open-loop';
import { cpuMeter } from '../measures/cpu';
import { creationMs, percentiles, rounded, sum } from '../measures/statistics';
import type { Deployment } from '../ours/deployment';
import { untilQuiet } from '../ours/side';
import { statementsOf } from '../ours/statements';
import { spread, type Spread } from '../ours/steady';
import { measureRestart, type RestartFigures } from './restart';
import { tasksTaken } from './tasks';
import type { Parts } from '../recovery/parts';

export interface VolumeFigures {
  accept_ms: Spread;
  /** Without any request. */
  idle: { workflow_tasks_per_s: number; statements_per_s: number; cores?: number };
  worker_restart: RestartFigures;
  /** One run of the sweeper that finds nothing due, or what is due by now. */
  sweep_ms: Spread;
  /** Whole commands, including Node's start. */
  seconds: { verify: number; verify_changes: number; payment_list: number; case_list: number };
  /** The slowest checks of `verify`. */
  slowest_checks: { id: string; seconds: number }[];
  /** The number of payments, vouchers and transfers in the incremental check. */
  changes: number;
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

export async function measureVolume(
  { stack, merchant }: Deployment,
  keeper: Parts,
  plan: MeasurePlan,
  step: <T>(title: string, work: () => Promise<T>) => Promise<T>,
  addChanges: () => Promise<void> = () => Promise.resolve(),
): Promise<VolumeFigures> {
  const pay = merchant.payBy('stk_push');
  const load = { perSecond: plan.perSecond, seconds: plan.acceptSeconds };
  await step('warming up', () => openLoop(pay, { ...load, seconds: plan.acceptSeconds / 2 }));
  const accepted = await step(`${plan.perSecond} payments a second`, () => openLoop(pay, load));
  if (accepted.failures[0] !== undefined) throw new Error(accepted.failures[0]);
  await untilQuiet(stack.db);
  await assertCallbacksCome(stack);
  const idle = await step('idle, without requests', () => measureIdle(stack, plan.idleSeconds));
  const sweepMs = await step('rounds of the sweeper', () => measureSweeps(stack.env));
  const verify = await step('verify', () => checkAll(stack));
  await addChanges();
  const changes = await step('verify --changes', () => verifyDay(stack));
  const seconds = {
    verify: verify.seconds,
    verify_changes: changes.seconds,
    payment_list: await secondsOf(() => stack.malipo('payment', 'list')),
    case_list: await secondsOf(() => stack.malipo('case', 'list')),
  };
  const restart = await step('a new worker', () => measureRestart(stack, keeper));
  return {
    accept_ms: spread(percentiles(creationMs(accepted.samples))),
    idle,
    worker_restart: restart,
    sweep_ms: sweepMs,
    seconds,
    slowest_checks: verify.slowest,
    changes: changes.checkedAt,
  };
}

/**
 * If notifications seemed to have stopped, workers would query the providers constantly, which is not the cost of a
 * full deployment.
 */
async function assertCallbacksCome({ db }: Deployment['stack']): Promise<void> {
  const judged = await db('notification_health')
    .where({ verdict: 'stopped' })
    .select('rail', 'account', 'kind');
  const [stopped] = judged;
  if (stopped) throw new Error(`the notifications of ${stopped.rail} ${stopped.kind} seem to have stopped`);
}

async function measureIdle(stack: Deployment['stack'], seconds: number): Promise<VolumeFigures['idle']> {
  const before = (await tasksTaken(stack)) ?? 0;
  const used = await cpuMeter(stack.pids);
  await delay(seconds * 1_000);
  const cpu = await used?.();
  const tasks = ((await tasksTaken(stack)) ?? 0) - before;
  // Separate from the processor time, because the log that counts them takes some.
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

/** The worker's own sweeper, called from here: it signals what it finds due. */
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

async function checkAll({
  malipo,
}: Deployment['stack']): Promise<{ seconds: number; slowest: VolumeFigures['slowest_checks'] }> {
  let output = '';
  const seconds = await secondsOf(async () => {
    output = await malipo('verify', '--json');
  });
  const { checks } = JSON.parse(output) as VerifyRunReport;
  const slowest = checks
    .map(({ id, took_ms: ms }) => ({ id, seconds: rounded(ms / 1_000) }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, checksShown);
  return { seconds, slowest };
}

async function verifyDay({ malipo }: Deployment['stack']): Promise<{ seconds: number; checkedAt: number }> {
  let output = '';
  const seconds = await secondsOf(async () => {
    output = await malipo('verify', '--json', '--changes');
  });
  const { changes, because } = JSON.parse(output) as VerifyRunReport;
  if (!changes) throw new Error(`verify --changes checked everything: ${because ?? ''}`);
  return { seconds, checkedAt: changes.checked_at };
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const beganAt = performance.now();
  await work();
  return rounded((performance.now() - beganAt) / 1_000);
}
