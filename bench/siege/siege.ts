/** What a merchant with keys notices of strangers who call as often as they can. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { openLoop } from '../load/open-loop';
import type { Pay } from '../load/payment';
import { acceptanceMs, percentiles, rounded } from '../measures/statistics';
import { spread, type Spread } from '../ours/steady';
import type { SiegeCounts, SiegePlan } from './besieger';

export interface SiegeFigures {
  keyed_per_s: number;
  anonymous_per_s: number;
  /** Acceptance of keyed STK pushes without and with the siege. */
  quiet: KeyedFigures;
  besieged: KeyedFigures;
  ratio: Spread;
  /** What became of the anonymous calls, by kind and status. */
  anonymous: SiegeCounts;
}

export interface KeyedFigures {
  payments: number;
  turned_away: number;
  failed: number;
  failure?: string;
  accept_ms: Spread;
}

const keyedPerSecond = 5;
const anonymousPerSecond = 200;
const addresses = 50;
const silentSockets = 1_100;
/** Until what the besiegers may do at once is spent, and what they are refused is the rule. */
const settlingMs = 5_000;

export async function measureSiege(
  pay: Pay,
  target: Pick<SiegePlan, 'apiUrl' | 'merchantId'>,
  seconds: number,
  step: <T>(title: string, work: () => Promise<T>) => Promise<T>,
): Promise<SiegeFigures> {
  const load = { perSecond: keyedPerSecond, seconds };
  await step('warming up', () => openLoop(pay, { ...load, seconds: Math.ceil(seconds / 3) }));
  const quiet = await step(`${keyedPerSecond} keyed payments a second`, () => keyed(pay, load));
  const siege = await startSiege({
    ...target,
    perSecond: anonymousPerSecond,
    addresses,
    silentSockets,
  });
  try {
    await delay(settlingMs);
    const besieged = await step(`the same beside ${anonymousPerSecond} anonymous calls a second`, () =>
      keyed(pay, load),
    );
    return {
      keyed_per_s: keyedPerSecond,
      anonymous_per_s: anonymousPerSecond,
      quiet,
      besieged,
      ratio: ratioOf(besieged.accept_ms, quiet.accept_ms),
      anonymous: await siege.end(),
    };
  } finally {
    siege.kill();
  }
}

export function ratioOf(besieged: Spread, quiet: Spread): Spread {
  return { p50: rounded(besieged.p50 / quiet.p50), p99: rounded(besieged.p99 / quiet.p99) };
}

async function keyed(pay: Pay, plan: { perSecond: number; seconds: number }): Promise<KeyedFigures> {
  const { samples, turnedAway, failures } = await openLoop(pay, plan);
  return {
    payments: samples.length,
    turned_away: turnedAway,
    failed: failures.length,
    ...(failures[0] !== undefined && { failure: failures[0] }),
    accept_ms: spread(percentiles(acceptanceMs(samples))),
  };
}

async function startSiege(plan: SiegePlan): Promise<{ end(): Promise<SiegeCounts>; kill(): void }> {
  const child: ChildProcess = fork(require.resolve('./besieger'), [JSON.stringify(plan)], {
    execArgv: ['--enable-source-maps'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  return {
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
