import { AsyncLocalStorage } from 'node:async_hooks';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';

type Activity = Parameters<ActivityInterceptorsFactory>[0];

const activities = new AsyncLocalStorage<Activity>();

/** One that is hastened (see engine.ts) counts from 1 again, and is not the first all the same. */
const nthOf = ({
  attempt,
  scheduledTimestampMs: first,
  currentAttemptScheduledTimestampMs: now,
}: Activity['info']) => (now > first ? Math.max(2, attempt) : attempt);

/** Keeps, while an activity runs, which it is. */
export const noteAttempt: ActivityInterceptorsFactory = (activity) => ({
  inbound: {
    execute: (input, next) => activities.run(activity, () => next(input)),
  },
});

/** Which try of the activity this is, as Temporal counts them from 1. */
export function currentAttempt(): number {
  const activity = activities.getStore();
  return activity ? nthOf(activity.info) : 1;
}

/** Tells Temporal that the activity is alive. */
export function heartbeat(): void {
  activities.getStore()?.heartbeat();
}

/** Aborted once the worker is told to stop, or nobody waits for the activity any more. */
export function currentCancellation(): AbortSignal {
  return activities.getStore()?.cancellationSignal ?? new AbortController().signal;
}
