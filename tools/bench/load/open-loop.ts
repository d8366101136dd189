import { setTimeout as delay } from 'node:timers/promises';
import { clockMs, type Pay, type Sample } from './payment';

export interface OpenLoopPlan {
  perSecond: number;
  seconds: number;
}

export interface OpenLoopResult {
  samples: Sample[];
  turnedAway: number;
  /** Rejected without a time for the next attempt. */
  withoutRetryAfter: number;
  /** The errors, one sentence for each. */
  failures: string[];
  /** The time of the last request. */
  offeredUntil: number;
}

/**
 * Sends requests at a steady rate, whether or not earlier ones are finished, as customers arrive. A request counts from
 * its planned time, so that a delayed generator does not hide waiting.
 */
export async function openLoop(pay: Pay, { perSecond, seconds }: OpenLoopPlan): Promise<OpenLoopResult> {
  const result: OpenLoopResult = {
    samples: [],
    turnedAway: 0,
    withoutRetryAfter: 0,
    failures: [],
    offeredUntil: 0,
  };
  const beganAt = clockMs();
  const total = Math.round(perSecond * seconds);
  const underWay: Promise<void>[] = [];
  for (let n = 0; n < total; n += 1) {
    const dueAt = beganAt + (n * 1_000) / perSecond;
    const early = dueAt - clockMs();
    if (early > 0) await delay(early);
    underWay.push(offer(pay, dueAt, result));
  }
  result.offeredUntil = clockMs();
  await Promise.all(underWay);
  return result;
}

async function offer(pay: Pay, startedAt: number, result: OpenLoopResult): Promise<void> {
  try {
    const answer = await pay();
    if (answer.kind === 'accepted') {
      const acceptedAt = clockMs();
      result.samples.push({ id: answer.id, startedAt, acceptedAt, finishedAt: await answer.finished });
      return;
    }
    result.turnedAway += 1;
    if (answer.retryAfterMs === undefined) result.withoutRetryAfter += 1;
  } catch (error) {
    result.failures.push(error instanceof Error ? error.message : String(error));
  }
}
