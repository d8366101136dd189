import { allHandlersFinished, continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { PaymentCommand } from '../src/domain/commands';

/** The server ends a run at 50,000 events, and accepts 2,000 updates in one run. This limit is far below both. */
const eventsMax = 2_000;

/**
 * The limit while a confirmation is awaited. A new run would not know of the confirmation and would count its polls
 * from zero. All its polls together make 6,000 events at most, after the 2,000.
 */
const eventsMaxConfirming = 10_000;

/**
 * Whether this run's history is long enough for continue-as-new. An unpaid order whose status is requested all the
 * time is polled ten thousand times.
 */
export function isLong({ isConfirming }: { isConfirming: boolean }): boolean {
  const { historyLength, continueAsNewSuggested } = workflowInfo();
  return isConfirming
    ? historyLength > eventsMaxConfirming
    : historyLength > eventsMax || continueAsNewSuggested;
}

/** No caller waits for an answer of this run, which a new run could not give. */
export const noHandlerWaits = allHandlersFinished;

/**
 * Ends this run and starts the next one (continue-as-new). The new run reads its payment from the database, like a
 * restarted workflow: with its undelivered webhooks and its clock. No unread report and no unanswered update may be
 * left. One that arrives in between cancels the end.
 */
export function goOnInNewRun(command: PaymentCommand): Promise<never> {
  return continueAsNew<(command: PaymentCommand) => Promise<unknown>>(command);
}
