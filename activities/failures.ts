import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';

/**
 * The only place that tells Temporal to try an activity again, and when, or not at all. It is no fault, so it is kept out of the
 * error metrics and logs; the attempts show in the UI under the pending activity.
 */
export function tryAgain(
  type: 'NOT_SENT' | 'BUSY' | 'NOT_DELIVERED' | 'NOT_MAILED' | 'NOT_FETCHED' | 'STOPPED',
  message: string,
  afterMs: number,
): ApplicationFailure {
  return ApplicationFailure.create({
    type,
    message,
    nextRetryDelay: Math.max(1, Math.round(afterMs)),
    category: ApplicationFailureCategory.BENIGN,
  });
}

/** What would end in the same way until a person has changed something: the workflow fails, where operators see it. */
export function giveUp(type: 'NOT_FETCHED' | 'NO_SOURCE', message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, type);
}
