import { setTimeout as delay } from 'node:timers/promises';
import { clockMs, type Pay, type Sample } from './payment';

export interface OpenLoopPlan {
  perSecond: number;
  seconds: number;
}

export interface OpenLoopResult {
  samples: Sample[];
  turnedAway: number;
  /** Turned away without being told when to come back. */
  withoutRetryAfter: number;
  /** What went wrong, one sentence for each. */
  failures: string[];
  /** The moment the last request was sent. */
  offeredUntil: number;
}

/**
 * Sends requests at a steady rate, whether or not the earlier ones are over: the way merchants' customers arrive.
 * A request counts from the moment at which it was due, so that a generator held up does not hide what was waited.
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
