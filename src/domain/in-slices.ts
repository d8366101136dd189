/** Runs long processor work in slices: between two of them the process handles other requests. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work that pauses after each slice. Its caller decides what happens there. */
export type Sliced<T> = Generator<undefined, T, undefined>;

/** This many lines of a file take some milliseconds. */
const sliceSize = 200;

/** Calls the function for each item, as `map` does. */
export function* mapSliced<T, R>(items: readonly T[], each: (item: T, index: number) => R): Sliced<R[]> {
  const done: R[] = [];
  for (const [index, item] of items.entries()) {
    if (index % sliceSize === 0) yield;
    done.push(each(item, index));
  }
  return done;
}

/** Runs the work to its end, and lets the event loop run after each slice. @throws the work's error. */
export async function finish<T>(work: Sliced<T>): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await nextTurn();
  }
}
