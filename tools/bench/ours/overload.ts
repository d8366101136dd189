/** An overload: whether requests are rejected correctly, and whether the service recovers soon. */
import type { Database } from '../../../src/store/database';
import { openLoop } from '../load/open-loop';
import { clockMs, type Pay } from '../load/payment';
import { creationMs, percentiles, rounded } from '../measures/statistics';
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
  /** One of the errors, for the analysis. */
  failure?: string;
  /** Of created payments: how long the callers waited for the answer. */
  accept_ms: Spread;
  /** Of created payments: the age of the backlog. */
  accept_to_delivered_ms: Spread;
  /** From the last request until every created payment was delivered. */
  drained_after_ms: number;
  /** At five payments a second, after the overload. */
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
    accept_ms: spread(percentiles(creationMs(samples))),
    accept_to_delivered_ms: spread(percentiles(waits.map(({ deliveredMs }) => deliveredMs))),
    drained_after_ms: rounded(Math.max(0, drainedAt - offeredUntil)),
    accept_p50_ms_afterwards: percentiles(creationMs(afterwards.samples)).p50_ms,
  };
}

const recoveryTimeoutMs = 30_000;

/** Callers are admitted only after the next measurement of the backlog: that time belongs to the recovery. */
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
  throw new Error(`still rejected ${recoveryTimeoutMs / 1_000} s after the overload`);
}
