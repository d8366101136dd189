/** What a merchant with keys notices of strangers who call as often as they can. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openLoop, type OpenLoopPlan } from '../load/open-loop';
import type { Pay } from '../load/payment';
import { cpuMeter, type CpuMs } from '../measures/cpu';
import { acceptanceMs, percentiles, rounded } from '../measures/statistics';
import { spread, type Spread } from '../ours/steady';
import type { SiegeCounts, SiegePlan } from './besieger';
import { customers } from './customer';

export interface SiegeFigures {
  keyed_per_s: number;
  anonymous_per_s: number;
  /** Acceptance of keyed STK pushes without the siege, in its first seconds, and from then on. */
  quiet: CallFigures;
  onset: CallFigures;
  besieged: CallFigures;
  ratio: Spread;
  /** Hosted orders without keys of honest customers, each from an address of its own, while the siege goes on. */
  customers: CallFigures;
  /** Processors in use by process; absent where the system does not tell. */
  cores?: { quiet: CpuMs; besieged: CpuMs };
  /** What became of the anonymous calls, by kind and status. */
  anonymous: SiegeCounts;
}

export interface CallFigures {
  accepted: number;
  turned_away: number;
  failed: number;
  failure?: string;
  /** Absent when none was accepted. */
  accept_ms?: Spread;
}

const keyedPerSecond = 5;
const anonymousPerSecond = 200;
const customersPerSecond = 0.5;
const addresses = 50;
const silentSockets = 1_100;
/** Until what the besiegers may do at once is spent, and what they are refused is the rule. */
const onsetSeconds = 5;

export interface SiegeTarget extends Pick<SiegePlan, 'apiUrl' | 'merchantId'> {
  pids: Readonly<Record<string, number>>;
}

export async function measureSiege(
  pay: Pay,
  { pids, ...target }: SiegeTarget,
  seconds: number,
  step: <T>(title: string, work: () => Promise<T>) => Promise<T>,
): Promise<SiegeFigures> {
  const load = { perSecond: keyedPerSecond, seconds };
  const ours = { ...pids, driver: process.pid };
  await step('warming up', () => openLoop(pay, { ...load, seconds: Math.ceil(seconds / 3) }));
  const quiet = await step(`${keyedPerSecond} keyed payments a second`, () =>
    withCores(ours, () => measured(pay, load)),
  );
  const siege = await startSiege({
    ...target,
    perSecond: anonymousPerSecond,
    addresses,
    silentSockets,
  });
  try {
    const onset = await step('the siege begins', () => measured(pay, { ...load, seconds: onsetSeconds }));
    const [besieged, customersServed] = await step(
      `the same beside ${anonymousPerSecond} anonymous calls a second`,
      () =>
        Promise.all([
          withCores({ ...ours, besieger: siege.pid }, () => measured(pay, load)),
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
      anonymous: await siege.end(),
    };
  } finally {
    siege.kill();
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
    ...(samples.length > 0 && { accept_ms: spread(percentiles(acceptanceMs(samples))) }),
  };
}

/** Runs `work`, and tells how many processors each process kept busy meanwhile. */
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

interface Siege {
  pid: number;
  end(): Promise<SiegeCounts>;
  kill(): void;
}

async function startSiege(plan: SiegePlan): Promise<Siege> {
  const child: ChildProcess = fork(require.resolve('./besieger'), [JSON.stringify(plan)], {
    execArgv: ['--enable-source-maps'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  return {
    pid: child.pid ?? 0,
    async end() {
      const told = once(child, 'message');
      child.send('end');
      const [{ counts }] = (await told) as [{ counts: SiegeCounts }];
      return counts;
    },
    kill() {
      if (child.connected) child.disconnect();
    },
  };
}
