import { AsyncLocalStorage } from 'node:async_hooks';
import { ApplicationFailure, TemporalFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { tellError, type ToldError } from '../telemetry/redact';

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

// An activity's error goes into the pending activity, where an operator reads it, and into the history, which is kept
// for weeks: the engine gets of it what a log line may say, and nothing of what the database or a parser quotes.

/** What began it is told, and what began that, and no further. */
const causesMax = 3;

function isTold(cause: unknown): cause is ToldError {
  return typeof cause === 'object' && cause !== null && 'message' in cause && 'stack' in cause;
}

function failureOf({ name, message, code, stack, cause }: ToldError, causes: number): ApplicationFailure {
  const failure = ApplicationFailure.create({
    type: typeof code === 'string' ? code : name,
    message: message === '' && typeof code === 'string' ? code : message,
    ...(isTold(cause) && causes > 0 && { cause: failureOf(cause, causes - 1) }),
  });
  failure.stack = `${name}: ${message}\n${stack}`;
  return failure;
}

/** The engine's own failures are made in `activities/failures.ts`, in our words, and pass. */
export function cleanFailure(thrown: unknown): unknown {
  if (thrown instanceof TemporalFailure) return thrown;
  return failureOf(tellError(thrown instanceof Error ? thrown : new Error('no error was thrown')), causesMax);
}

export const cleanFailures: ActivityInterceptorsFactory = () => ({
  inbound: {
    async execute(input, next) {
      try {
        return await next(input);
      } catch (thrown) {
        throw cleanFailure(thrown);
      }
    },
  },
});
