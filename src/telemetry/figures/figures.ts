/** What an API process shows in its metrics of the world around it: each subject is read at a pace of its own. */
import type { Log } from '../../domain/log';
import { repeat, stopAll, type Repeating } from '../../domain/repeat';

export interface Figures {
  /** What could not be read, in the log. */
  what: string;
  everyMs: number;
  /** Not at once but at any moment until about then: what reads much, processes that start together do not read together. */
  firstWithinMs?: number;
  /** Reads it, and sets its gauges. What it cannot read it shows as unknown, or leaves as it was, and throws. */
  show(): Promise<void>;
}

/** Begins at once, unless it says otherwise. What is being read when they are stopped is not waited for. */
export function keepShowing(figures: readonly Figures[], log: Log): Repeating {
  const repeating = figures.map(({ what, everyMs, firstWithinMs, show }) =>
    repeat(show, {
      ...{ everyMs, firstMs: firstWithinMs === undefined ? 0 : Math.random() * firstWithinMs },
      ...{ log, otherwise: 'a figure of the metrics could not be read', fields: { what } },
    }),
  );
  return {
    stop() {
      // A process that ends does not wait for Temporal, or for a copy of the database, to be asked for a figure.
      void stopAll(repeating);
      return Promise.resolve();
    },
  };
}
