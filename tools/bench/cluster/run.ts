/**
 * `npm run bench -- --cluster`: the cost of a payment in each part of a cluster, with more and fewer APIs and workers.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { step } from '../../sandbox/services/progress';
import { startBareSide, type BareSide } from '../bare/processes';
import { bareSide } from '../bare/side';
import { cpuMeter } from '../measures/cpu';
import { othersMeter } from '../measures/others';
import { grownBetween, measureSides, type Side, type SidePlan } from '../measures/side';
import { rounded } from '../measures/statistics';
import { diskMeter } from '../ours/disk';
import { merchantClient, type MerchantClient } from '../ours/merchant';
import { paymentKinds } from '../ours/payments';
import { startReceiver } from '../ours/receiver';
import { ourSide, untilQuiet } from '../ours/side';
import { busyConnections, connectionsOf } from './connections';
import { readCounters } from './counters';
import { clusterReportOf, type ClusterReport, type Configuration, type IdleFigures } from './report';
import { startClusterStack, type ClusterStack, type Size } from './stack';

export interface ClusterPlan {
  sizes: readonly Size[];
  sides: SidePlan;
  idleSeconds: number;
}

/** Nearly all of PostgreSQL's work is in the child processes for its clients. */
const forking = ['postgresql'];

export async function runCluster(plan: ClusterPlan, folder: string): Promise<ClusterReport> {
  const receiver = await startReceiver();
  const stack = await startClusterStack(folder, receiver.url, largest(plan.sizes));
  const merchant = merchantClient(stack.apiUrl, stack.merchant, receiver);
  const bare = await step('starting the bare worker and its client', () =>
    startBareSide(stack.temporal, folder),
  );
  try {
    const diskUsed = await diskMeter(stack.admin);
    const configurations: Configuration[] = [];
    for (const [n, size] of plan.sizes.entries()) {
      await step(sizeText(size), () => stack.resize(size));
      configurations.push(
        await measured(stack, merchant, bare, size, plan.sides, n === plan.sizes.length - 1),
      );
    }
    const idle = await step('nothing', () => measureIdle(stack, plan.idleSeconds));
    const mysqlTableBytes = await diskUsed();
    await step('verifying the books', () => stack.verify());
    return clusterReportOf({ configurations, idle, mysqlTableBytes });
  } finally {
    await merchant.close();
    receiver.close();
    await bare.stop();
    await stack.stop();
  }
}

/** Statements and connections are counted once: they do not depend on the number of processes. */
async function measured(
  stack: ClusterStack,
  merchant: MerchantClient,
  bare: BareSide,
  size: Size,
  plan: SidePlan,
  isCounted: boolean,
): Promise<Configuration> {
  const { statements, ...timed } = ourSide(stack, paymentKinds.stk_push.name, merchant.payBy('stk_push'));
  const ours: Side = { ...timed, forking, counters: () => readCounters(stack) };
  const alone: Side = { ...bareSide(bare, stack.temporal, temporalPids(stack)), forking };
  const counted: Side = isCounted && statements ? { ...ours, statements } : ours;
  const meanwhile = await othersMeter({ ...ours.pids, ...alone.pids }, forking);
  const figures = await measureSides({ ours: counted, bare: alone }, plan, step);
  const measuredSize = { ...size, ...figures, othersCores: await meanwhile() };
  if (!isCounted) return measuredSize;
  const busy = await step('counting connections', () =>
    busyConnections(stack.admin, async () => {
      await ours.closedLoop({ payments: plan.crowded, concurrency: limit });
    }),
  );
  await ours.quiet();
  return { ...measuredSize, connections: { open: await connectionsOf(stack), mysqlBusy: busy } };
}

const limit = 20;

function temporalPids({ pids }: ClusterStack): Record<string, number> {
  return Object.fromEntries(
    Object.entries(pids).filter(([name]) => name.startsWith('temporal ') || forking.includes(name)),
  );
}

const restWindowMs = 5_000;
const restWindows = 24;

/** Temporal cleans up after closed workflows for a while: waits until the load on its store hardly decreases. */
async function untilAtRest(stack: ClusterStack): Promise<void> {
  let asked = Number.POSITIVE_INFINITY;
  for (let window = 0; window < restWindows; window += 1) {
    const before = await readCounters(stack);
    await delay(restWindowMs);
    const grown = grownBetween(before, await readCounters(stack));
    const askedNow = grown['postgres_statements'] ?? 0;
    if (grown['actions'] === 0 && askedNow >= 0.9 * asked) return;
    asked = askedNow;
  }
  throw new Error('Temporal is still busy two minutes after the last payment');
}

async function measureIdle(stack: ClusterStack, seconds: number): Promise<IdleFigures> {
  await untilQuiet(stack.db);
  await untilAtRest(stack);
  const before = await readCounters(stack);
  const used = await cpuMeter(stack.pids, forking);
  await delay(seconds * 1_000);
  const cpu = await used?.();
  const grown = grownBetween(before, await readCounters(stack));
  const perSecond = (of: Record<string, number>) =>
    Object.fromEntries(Object.entries(of).map(([name, n]) => [name, rounded(n / seconds)]));
  return { ...(cpu && { cpu_ms_per_s: perSecond(cpu) }), grown_per_s: perSecond(grown) };
}

function largest(sizes: readonly Size[]): Size {
  return {
    apis: Math.max(...sizes.map(({ apis }) => apis)),
    workers: Math.max(...sizes.map(({ workers }) => workers)),
  };
}

function sizeText({ apis, workers }: Size): string {
  return `${apis} × API, ${workers} × worker`;
}
