/** Temporal's minimum for a payment like ours: no database, no provider, no merchant. */
import {
  condition,
  defineSignal,
  defineUpdate,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
} from '@temporalio/workflow';
import type * as activities from './activities';

const { submit: initiate } = proxyActivities<typeof activities>({ startToCloseTimeout: '30s' });
const { settle } = proxyLocalActivities<typeof activities>({ startToCloseTimeout: '5s' });

const submissionResult = defineUpdate<string>('acceptance');
const outcomeReported = defineSignal('outcomeReported');

/** An update that is answered after one activity, then one signal, then one local activity. */
export async function bare(): Promise<string> {
  let answer: string | undefined = undefined;
  let reported = false;
  setHandler(submissionResult, async () => {
    await condition(() => answer !== undefined);
    return answer ?? '';
  });
  setHandler(outcomeReported, () => {
    reported = true;
  });
  answer = await initiate();
  await condition(() => reported);
  return settle();
}
