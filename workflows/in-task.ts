/**
 * What mostly takes moments rides inside the workflow task, which saves its dispatch. What takes longer, finds no place
 * or fails is for an activity of its own, which finds what was begun and does nothing twice.
 */
import { TemporalFailure, isCancellation, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../src/domain/commands';

type InTask = Pick<Activities, 'review' | 'initiateInTask' | 'deliverInTask'>;

const local = proxyLocalActivities<InTask>({
  startToCloseTimeout: '5s',
  retry: { maximumAttempts: 1 },
});

type Input<Name extends keyof InTask> = Parameters<InTask[Name]>[0];

/** Each resolves with undefined where it could not be done in the time that a workflow task may take. */
export const inTask = {
  review: (input: Input<'review'>) => tried(local.review(input)),
  initiate: (input: Input<'initiateInTask'>, summary: string) =>
    tried(local.initiateInTask.executeWithOptions({ summary }, [input])),
  deliver: (input: Input<'deliverInTask'>, summary: string) =>
    tried(local.deliverInTask.executeWithOptions({ summary }, [input])),
};

async function tried<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    // A local activity fails with the bare error of its last try, not with an ActivityFailure around it.
    if (error instanceof TemporalFailure && !isCancellation(error)) return undefined;
    throw error;
  }
}
