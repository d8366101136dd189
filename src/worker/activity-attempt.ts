import { AsyncLocalStorage } from 'node:async_hooks';
import { ApplicationFailure, TemporalFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { loggedError, type LoggedError } from '../telemetry/redact';

type Activity = Parameters<ActivityInterceptorsFactory>[0];

const activities = new AsyncLocalStorage<Activity>();

/** An activity that is retried now (engine.ts) counts from 1 again, but is not a first attempt. */
const nthOf = ({
  attempt,
  scheduledTimestampMs: first,
  currentAttemptScheduledTimestampMs: now,
}: Activity['info']) => (now > first ? Math.max(2, attempt) : attempt);

/** Stores the running activity for the functions below. */
export const noteAttempt: ActivityInterceptorsFactory = (activity) => ({
  inbound: {
    execute: (input, next) => activities.run(activity, () => next(input)),
  },
});

/** The attempt of the activity, as Temporal counts from 1. */
export function currentAttempt(): number {
  const activity = activities.getStore();
  return activity ? nthOf(activity.info) : 1;
}

/** Sends a heartbeat to Temporal. */
export function heartbeat(): void {
  activities.getStore()?.heartbeat();
}

/** Aborts when the worker shuts down, or its workflow no longer waits for the activity. */
export function currentCancellation(): AbortSignal {
  return activities.getStore()?.cancellationSignal ?? new AbortController().signal;
}

// An activity's error is stored in the pending activity, where operators read it, and in the history, which is stored
// for weeks. So Temporal gets only what a log line may contain, and nothing that the database or a parser quotes.

/** The error has its cause and the cause's cause, and no deeper ones. */
const causesMax = 3;

function isLoggedError(cause: unknown): cause is LoggedError {
  return typeof cause === 'object' && cause !== null && 'message' in cause && 'stack' in cause;
}

function failureOf({ name, message, code, stack, cause }: LoggedError, causes: number): ApplicationFailure {
  const failure = ApplicationFailure.create({
    type: typeof code === 'string' ? code : name,
    message: message === '' && typeof code === 'string' ? code : message,
    ...(isLoggedError(cause) && causes > 0 && { cause: failureOf(cause, causes - 1) }),
  });
  failure.stack = `${name}: ${message}\n${stack}`;
  return failure;
}

/** Failures from `activities/failures.ts` have our own text, so they pass unchanged. */
export function cleanFailure(thrown: unknown): unknown {
  if (thrown instanceof TemporalFailure) return thrown;
  return failureOf(
    loggedError(thrown instanceof Error ? thrown : new Error('no error was thrown')),
    causesMax,
  );
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
