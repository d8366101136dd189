/** Long work of the processor, done in slices: the process answers others between two of them. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work that stops after each slice. Whoever runs it decides what happens there. */
export type Sliced<T> = Generator<undefined, T, undefined>;

/** Some milliseconds of what is done with a line of a file. */
const sliceSize = 200;

/** Does the same with each, as `map` does. */
export function* mapSliced<T, R>(items: readonly T[], each: (item: T, index: number) => R): Sliced<R[]> {
  const done: R[] = [];
  for (const [index, item] of items.entries()) {
    if (index % sliceSize === 0) yield;
    done.push(each(item, index));
  }
  return done;
}

/** Does the work to its end, and lets the event loop turn after each slice. @throws what the work throws. */
export async function finish<T>(work: Sliced<T>): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await nextTurn();
  }
}
