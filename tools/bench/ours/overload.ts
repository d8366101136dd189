/** What happens when far more is asked than can be carried: is it refused politely, and is it over soon? */
import type { Database } from '../../../src/store/database';
import { openLoop } from '../load/open-loop';
import { clockMs, type Pay } from '../load/payment';
import { acceptanceMs, percentiles, rounded } from '../measures/statistics';
import { spread, type Spread } from './steady';
import { waitsOf } from './waits';

export interface OverloadFigures {
  offered_per_s: number;
  offered: number;
  accepted: number;
  turned_away: number;
  turned_away_share: number;
  turned_away_without_retry_after: number;
  failed: number;
  /** One of the failures, to begin looking with. */
  failure?: string;
  /** Of what was accepted: how long the callers waited for the answer. */
  accept_ms: Spread;
  /** Of what was accepted: how old the backlog became. */
  accept_to_delivered_ms: Spread;
  /** From the last request until everything accepted was delivered. */
  drained_after_ms: number;
  /** At five payments a second, once that was over. */
  accept_p50_ms_afterwards: number;
}

const times = 3;
const recovery = { perSecond: 5, seconds: 2 };

export async function measureOverload(
  pay: Pay,
  db: Database,
  capacityPerSecond: number,
  seconds: number,
): Promise<OverloadFigures> {
  const perSecond = Math.ceil(capacityPerSecond * times);
  const { samples, turnedAway, withoutRetryAfter, failures, offeredUntil } = await openLoop(pay, {
    perSecond,
    seconds,
  });
  const drainedAt = Math.max(...samples.map(({ finishedAt }) => finishedAt));
  const waits = await waitsOf(db, samples);
  await recoveredFrom(pay);
  const afterwards = await openLoop(pay, recovery);
  const offered = samples.length + turnedAway + failures.length;
  return {
    offered_per_s: perSecond,
    offered,
    accepted: samples.length,
    turned_away: turnedAway,
    turned_away_share: rounded(turnedAway / offered),
    turned_away_without_retry_after: withoutRetryAfter,
    failed: failures.length,
    ...(failures[0] !== undefined && { failure: failures[0] }),
    accept_ms: spread(percentiles(acceptanceMs(samples))),
    accept_to_delivered_ms: spread(percentiles(waits.map(({ deliveredMs }) => deliveredMs))),
    drained_after_ms: rounded(Math.max(0, drainedAt - offeredUntil)),
    accept_p50_ms_afterwards: percentiles(acceptanceMs(afterwards.samples)).p50_ms,
  };
}

const recoveryTimeoutMs = 30_000;

/** Callers are let in again only once the backlog was looked at anew: that is part of recovering, not of accepting. */
async function recoveredFrom(pay: Pay): Promise<void> {
  const deadline = clockMs() + recoveryTimeoutMs;
  while (clockMs() < deadline) {
    const answer = await pay();
    if (answer.kind === 'accepted') {
      await answer.finished;
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`still turned away ${recoveryTimeoutMs / 1_000} s after the overload`);
}
