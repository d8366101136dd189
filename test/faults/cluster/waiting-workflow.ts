/** Waits for a word from outside and then for a while, as payments do. */
import { condition, defineSignal, proxyActivities, setHandler, sleep } from '@temporalio/workflow';

const { answer } = proxyActivities<{ answer(name: string): Promise<string> }>({
  startToCloseTimeout: '30s',
});

const goOn = defineSignal('goOn');

export async function waiting(name: string, sleepMs: number): Promise<string> {
  let told = false;
  setHandler(goOn, () => {
    told = true;
  });
  await sleep(sleepMs);
  await condition(() => told);
  return answer(name);
}
