import { setTimeout as delay } from 'node:timers/promises';
import { clockMs, type Pay, type Sample } from './payment';

export interface ClosedLoopPlan {
  payments: number;
  /** Concurrent payments: each that ends makes room for the next. */
  concurrency: number;
}

/** If the answer has no time, a rejected caller waits this long. */
const pauseMs = 1_000;

/** Keeps `concurrency` payments in progress until `payments` of them are finished. */
export async function closedLoop(pay: Pay, { payments, concurrency }: ClosedLoopPlan): Promise<Sample[]> {
  const samples: Sample[] = [];
  let started = 0;
  async function bulkhead(): Promise<void> {
    while (started < payments) {
      started += 1;
      samples.push(await onePayment(pay));
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, payments) }, bulkhead));
  return samples;
}

/** A rejected caller returns after the given time, like a correct merchant. */
async function onePayment(pay: Pay): Promise<Sample> {
  for (let turnedAway = 0; ; turnedAway += 1) {
    const startedAt = clockMs();
    const answer = await pay();
    if (answer.kind === 'accepted') {
      const acceptedAt = clockMs();
      return { id: answer.id, startedAt, acceptedAt, finishedAt: await answer.finished, turnedAway };
    }
    await delay(answer.retryAfterMs ?? pauseMs);
  }
}
