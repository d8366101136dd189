/** Several lanes at once, each doing one thing after another. */
import { startLane, type Lane } from './lane';

export interface LanePool {
  /** Does `work` for each, in their order, as lanes become free. */
  map<T, R>(
    items: T[],
    work: (lane: Lane, item: T, replace: () => Promise<void>) => Promise<R>,
  ): Promise<R[]>;
  stop(): Promise<void>;
}

/** @throws where one of them does not start; the others are stopped. */
export async function lanePool(size: number): Promise<LanePool> {
  const started = await Promise.allSettled(Array.from({ length: size }, () => startLane()));
  const lanes = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = started.find((one) => one.status === 'rejected');
  if (failed) {
    await Promise.all(lanes.map((lane) => lane.stop()));
    throw failed.reason;
  }
  return {
    async map(items, work) {
      const results: Awaited<ReturnType<typeof work>>[] = [];
      let next = 0;
      const inLane = async (n: number): Promise<void> => {
        while (next < items.length) {
          const index = next;
          next += 1;
          results[index] = await work(lanes[n] as Lane, items[index] as (typeof items)[number], async () => {
            // Books in which something is wrong would be found wrong again and again.
            await lanes[n]?.stop();
            lanes[n] = await startLane();
          });
        }
      };
      const ended = await Promise.allSettled(lanes.map((_, n) => inLane(n)));
      // A lane that could not go on does not take the others' away from under them.
      for (const one of ended) if (one.status === 'rejected') throw one.reason;
      return results;
    },
    async stop() {
      await Promise.allSettled(lanes.map((lane) => lane.stop()));
    },
  };
}
