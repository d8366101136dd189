import { AsyncLocalStorage } from 'node:async_hooks';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';

type Info = Parameters<ActivityInterceptorsFactory>[0]['info'];

const attempts = new AsyncLocalStorage<number>();

/** One that is hastened (see engine.ts) counts from 1 again, and is not the first all the same. */
const nthOf = ({ attempt, scheduledTimestampMs: first, currentAttemptScheduledTimestampMs: now }: Info) =>
  now > first ? Math.max(2, attempt) : attempt;

/** Keeps, while an activity runs, which try of it this is. */
export const noteAttempt: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    execute: (input, next) => attempts.run(nthOf(info), () => next(input)),
  },
});

/** Which try of the activity this is, from 1. */
export function currentAttempt(): number {
  return attempts.getStore() ?? 1;
}
