/**
 * Runs short work inside the workflow task, which saves the dispatch of an activity. Work that takes longer, hits a
 * concurrency limit or fails goes to an activity of its own. That activity finds the work under way and repeats
 * nothing.
 */
import {
  CancellationScope,
  TemporalFailure,
  condition,
  isCancellation,
  proxyLocalActivities,
} from '@temporalio/workflow';
import type { Activities } from '../src/domain/commands';

type InTask = Pick<Activities, 'submitToProvider' | 'checkStatus' | 'sendWebhook'>;

const local = proxyLocalActivities<InTask>({
  startToCloseTimeout: '5s',
  retry: { maximumAttempts: 1 },
});

type Input<Name extends keyof InTask> = Omit<Parameters<InTask[Name]>[0], 'patient'>;

/**
 * Each resolves with undefined where it did not finish within a workflow task's time. A workflow runs only one of
 * them at a time. Each ends in an activation of its own, but in a replay concurrent ones would end in the same
 * activation, and the commands after them would come in another order.
 */
export const inTask = {
  submit: (input: Input<'submitToProvider'>, summary: string) =>
    tried(local.submitToProvider.executeWithOptions({ summary }, [{ ...input, patient: false }])),
  check: (input: Input<'checkStatus'>, summary: string) =>
    tried(local.checkStatus.executeWithOptions({ summary }, [{ ...input, patient: false }])),
  send: (input: Input<'sendWebhook'>, summary: string) =>
    tried(local.sendWebhook.executeWithOptions({ summary }, [{ ...input, patient: false }])),
};

async function tried<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await inOrder(call);
  } catch (error) {
    // A local activity fails with the plain error of its last try, without an ActivityFailure around it.
    if (error instanceof TemporalFailure && !isCancellation(error)) return undefined;
    throw error;
  }
}

/**
 * Lets handlers run first. An update that came during the activity was handled before the activity ended, and in a
 * replay both are in one activation. Conditions are evaluated only when every handler has gone as far as it can.
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
