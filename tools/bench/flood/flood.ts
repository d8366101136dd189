/** How a heavy load of unauthenticated calls affects a merchant with keys. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openLoop, type OpenLoopPlan } from '../load/open-loop';
import type { Pay } from '../load/payment';
import { cpuMeter, type CpuMs } from '../measures/cpu';
import { creationMs, percentiles, rounded } from '../measures/statistics';
import { spread, type Spread } from '../ours/steady';
import type { FloodCounts, FloodPlan } from './attacker';
import { customers } from './customer';

export interface FloodFigures {
  keyed_per_s: number;
  anonymous_per_s: number;
  /** STK pushes with keys before the flood, in its first seconds, and later. */
  quiet: CallFigures;
  onset: CallFigures;
  besieged: CallFigures;
  ratio: Spread;
  /** Hosted orders without keys by real customers, each from another address, during the flood. */
  customers: CallFigures;
  /** Processors in use by process; absent if the system does not report it. */
  cores?: { quiet: CpuMs; besieged: CpuMs };
  /** The results of the anonymous calls, by kind and status. */
  anonymous: FloodCounts;
}

export interface CallFigures {
  accepted: number;
  turned_away: number;
  failed: number;
  failure?: string;
  /** Absent if none was accepted. */
  accept_ms?: Spread;
}

const keyedPerSecond = 5;
const anonymousPerSecond = 200;
const customersPerSecond = 0.5;
const addresses = 50;
const silentSockets = 1_100;
/** Until the attackers have used up their burst, and most calls are rejected. */
const onsetSeconds = 5;

export interface FloodTarget extends Pick<FloodPlan, 'apiUrl' | 'merchantId'> {
  pids: Readonly<Record<string, number>>;
}

export async function measureFlood(
  pay: Pay,
  { pids, ...target }: FloodTarget,
  seconds: number,
  step: <T>(title: string, work: () => Promise<T>) => Promise<T>,
): Promise<FloodFigures> {
  const load = { perSecond: keyedPerSecond, seconds };
  const ours = { ...pids, driver: process.pid };
  await step('warming up', () => openLoop(pay, { ...load, seconds: Math.ceil(seconds / 3) }));
  const quiet = await step(`${keyedPerSecond} keyed payments a second`, () =>
    withCores(ours, () => measured(pay, load)),
  );
  const flood = await startFlood({
    ...target,
    perSecond: anonymousPerSecond,
    addresses,
    silentSockets,
  });
  try {
    const onset = await step('the flood begins', () => measured(pay, { ...load, seconds: onsetSeconds }));
    const [besieged, customersServed] = await step(
      `the same beside ${anonymousPerSecond} anonymous calls a second`,
      () =>
        Promise.all([
          withCores({ ...ours, attacker: flood.pid }, () => measured(pay, load)),
          measured(customers(target), { perSecond: customersPerSecond, seconds }),
        ]),
    );
    return {
      keyed_per_s: keyedPerSecond,
      anonymous_per_s: anonymousPerSecond,
      quiet: quiet.figures,
      onset,
      besieged: besieged.figures,
      ratio: ratioOf(besieged.figures.accept_ms, quiet.figures.accept_ms),
      customers: customersServed,
      ...(quiet.cores && besieged.cores && { cores: { quiet: quiet.cores, besieged: besieged.cores } }),
      anonymous: await flood.end(),
    };
  } finally {
    flood.kill();
  }
}

export function ratioOf(besieged?: Spread, quiet?: Spread): Spread {
  if (!besieged || !quiet) throw new Error('no keyed payment was accepted');
  return { p50: rounded(besieged.p50 / quiet.p50), p99: rounded(besieged.p99 / quiet.p99) };
}

async function measured(pay: Pay, plan: OpenLoopPlan): Promise<CallFigures> {
  const { samples, turnedAway, failures } = await openLoop(pay, plan);
  return {
    accepted: samples.length,
    turned_away: turnedAway,
    failed: failures.length,
    ...(failures[0] !== undefined && { failure: failures[0] }),
    ...(samples.length > 0 && { accept_ms: spread(percentiles(creationMs(samples))) }),
  };
}

/** Runs `work`, and returns how many processors each process used meanwhile. */
async function withCores(
  pids: Readonly<Record<string, number>>,
  work: () => Promise<CallFigures>,
): Promise<{ figures: CallFigures; cores?: CpuMs }> {
  const used = await cpuMeter(pids);
  const beganAt = performance.now();
  const figures = await work();
  const parts = Object.entries((await used?.()) ?? {});
  const ms = performance.now() - beganAt;
  return {
    figures,
    ...(parts.length > 0 && {
      cores: Object.fromEntries(parts.map(([name, usedMs]) => [name, rounded(usedMs / ms)])),
    }),
  };
}

interface Flood {
  pid: number;
  end(): Promise<FloodCounts>;
  kill(): void;
}

async function startFlood(plan: FloodPlan): Promise<Flood> {
  const child: ChildProcess = fork(require.resolve('./attacker'), [JSON.stringify(plan)], {
    execArgv: ['--enable-source-maps'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  return {
    pid: child.pid ?? 0,
    async end() {
      const reported = once(child, 'message');
      child.send('end');
      const [{ counts }] = (await reported) as [{ counts: FloodCounts }];
      return counts;
    },
    kill() {
      if (child.connected) child.disconnect();
    },
  };
}
