import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';

/**
 * The only place that decides whether and when Temporal retries an activity. A retry is not an error, so it is not in
 * the error metrics and logs; the UI shows the attempts under the pending activity.
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

/**
 * For a failure that would repeat until an operator has changed something: the workflow fails, where operators see
 * it.
 */
export function giveUp(type: 'NOT_FETCHED' | 'NO_SOURCE', message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, type);
}
