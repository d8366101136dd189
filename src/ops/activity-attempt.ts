import { AsyncLocalStorage } from 'node:async_hooks';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';

const attempts = new AsyncLocalStorage<number>();

/** Keeps, while an activity runs, which try of it this is. */
export const noteAttempt: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    execute: (input, next) => attempts.run(info.attempt, () => next(input)),
  },
});

/** Which try of the activity this is, as Temporal counts them from 1. */
export function currentAttempt(): number {
  return attempts.getStore() ?? 1;
}
