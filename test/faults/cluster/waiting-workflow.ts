/** Waits for a signal and then for a time, as payments do. */
import { condition, defineSignal, proxyActivities, setHandler, sleep } from '@temporalio/workflow';

const { answer } = proxyActivities<{ answer(name: string): Promise<string> }>({
  startToCloseTimeout: '30s',
});

const goOn = defineSignal('goOn');

export async function waiting(name: string, sleepMs: number): Promise<string> {
  let reported = false;
  setHandler(goOn, () => {
    reported = true;
  });
  await sleep(sleepMs);
  await condition(() => reported);
  return answer(name);
}
