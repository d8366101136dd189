import type { Sliced } from '../../src/domain/in-slices';

/** Does sliced work where nobody waits beside it. */
export function atOnce<T>(work: Sliced<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** How often the event loop turns until the work is over. */
export async function turnsUntil(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work.finally(() => {
    isOver = true;
  });
  return turns;
}
