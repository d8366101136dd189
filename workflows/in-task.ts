/**
 * What mostly takes moments rides inside the workflow task, which saves its dispatch. What takes longer, finds no place
 * or fails is for an activity of its own, which finds what was begun and does nothing twice.
 */
import {
  CancellationScope,
  TemporalFailure,
  condition,
  isCancellation,
  proxyLocalActivities,
} from '@temporalio/workflow';
import type { Activities } from '../src/domain/commands';

type InTask = Pick<Activities, 'review' | 'initiateInTask' | 'deliverInTask'>;

const local = proxyLocalActivities<InTask>({
  startToCloseTimeout: '5s',
  retry: { maximumAttempts: 1 },
});

type Input<Name extends keyof InTask> = Parameters<InTask[Name]>[0];

/**
 * Each resolves with undefined where it could not be done in the time that a workflow task may take. A workflow has one
 * of them under way at a time: each ends in an activation of its own, but when the history is replayed those that were
 * under way together end in the same one, and what follows them would come in another order.
 */
export const inTask = {
  review: (input: Input<'review'>) => tried(local.review(input)),
  initiate: (input: Input<'initiateInTask'>, summary: string) =>
    tried(local.initiateInTask.executeWithOptions({ summary }, [input])),
  deliver: (input: Input<'deliverInTask'>, summary: string) =>
    tried(local.deliverInTask.executeWithOptions({ summary }, [input])),
};

async function tried<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await inOrder(call);
  } catch (error) {
    // A local activity fails with the bare error of its last try, not with an ActivityFailure around it.
    if (error instanceof TemporalFailure && !isCancellation(error)) return undefined;
    throw error;
  }
}

/**
 * What a handler does goes first. An update that came while the activity was under way was served before it ended, and
 * in a replay both are in one activation; conditions are looked at only when every handler has gone as far as it can.
 */
async function inOrder<T>(call: Promise<T>): Promise<T> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  void call.then(over, over);
  await CancellationScope.nonCancellable(() => condition(() => isOver));
  return call;
}
