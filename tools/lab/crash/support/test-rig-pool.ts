/** Several test rigs at once, each doing one thing after another. */
import { startTestRig, type TestRig } from './test-rig';

export interface TestRigPool {
  /** Runs `work` for each, in order, as test rigs become free. */
  map<T, R>(
    items: T[],
    work: (rig: TestRig, item: T, replace: () => Promise<void>) => Promise<R>,
  ): Promise<R[]>;
  stop(): Promise<void>;
}

/** @throws if one of them does not start; the others are stopped. */
export async function testRigPool(size: number): Promise<TestRigPool> {
  const started = await Promise.allSettled(Array.from({ length: size }, () => startTestRig()));
  const rigs = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = started.find((one) => one.status === 'rejected');
  if (failed) {
    await Promise.all(rigs.map((rig) => rig.stop()));
    throw failed.reason;
  }
  return {
    async map(items, work) {
      const results: Awaited<ReturnType<typeof work>>[] = [];
      let next = 0;
      const inRig = async (n: number): Promise<void> => {
        while (next < items.length) {
          const index = next;
          next += 1;
          results[index] = await work(
            rigs[n] as TestRig,
            items[index] as (typeof items)[number],
            async () => {
              // Books with an error would be found wrong in every later trial.
              await rigs[n]?.stop();
              rigs[n] = await startTestRig();
            },
          );
        }
      };
      const ended = await Promise.allSettled(rigs.map((_, n) => inRig(n)));
      // A failing test rig does not stop the others while they work.
      for (const one of ended) if (one.status === 'rejected') throw one.reason;
      return results;
    },
    async stop() {
      await Promise.allSettled(rigs.map((rig) => rig.stop()));
    },
  };
}
