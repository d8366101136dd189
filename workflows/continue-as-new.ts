import { allHandlersFinished, continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { PaymentCommand } from '../src/domain/commands';

/** The server ends a run of 50,000 events, and takes 2,000 updates of one: this is far from either. */
const eventsMax = 2_000;

/**
 * As long as a confirmation is awaited, which the new run would know nothing of: it would count its questions from
 * none. All of them have 6,000 events at the most, after the 2,000.
 */
const eventsMaxConfirming = 10_000;

/**
 * Whether this run's history is so long that the story had better go on in a new one: an order that nobody pays, and
 * whose status is asked for all the time, is looked at ten thousand times.
 */
export function isLong({ isConfirming }: { isConfirming: boolean }): boolean {
  const { historyLength, continueAsNewSuggested } = workflowInfo();
  return isConfirming
    ? historyLength > eventsMaxConfirming
    : historyLength > eventsMax || continueAsNewSuggested;
}

/** Nobody waits for an answer of this run, who would get none. */
export const nobodyWaits = allHandlersFinished;

/**
 * Ends this run and begins the next, which finds its payment as one that is taken up again: in the database, with what is
 * undelivered, and its clock. What was reported and not read, or asked and not answered, must be none; what comes
 * meanwhile undoes the end.
 */
export function goOnInNewRun(command: PaymentCommand): Promise<never> {
  return continueAsNew<(command: PaymentCommand) => Promise<unknown>>(command);
}
