import { setTimeout as delay } from 'node:timers/promises';
import { clockMs, type Pay, type Sample } from './payment';

export interface ClosedLoopPlan {
  payments: number;
  /** Payments under way at once: each one that ends makes room for the next. */
  concurrency: number;
}

/** Where no time was named, a caller that is turned away waits this long. */
const pauseMs = 1_000;

/** Keeps `concurrency` payments under way until `payments` of them are over. */
export async function closedLoop(pay: Pay, { payments, concurrency }: ClosedLoopPlan): Promise<Sample[]> {
  const samples: Sample[] = [];
  let started = 0;
  async function lane(): Promise<void> {
    while (started < payments) {
      started += 1;
      samples.push(await onePayment(pay));
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, payments) }, lane));
  return samples;
}

/** A caller that is turned away comes back when it was told to, like a well-behaved merchant. */
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
