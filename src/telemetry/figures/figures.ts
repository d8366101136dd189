/** Reads groups of metrics from the database and Temporal, each at its own interval. */
import type { Log } from '../../domain/log';
import { repeat, stopAll, type Repeating } from '../../domain/repeat';

export interface Figures {
  /** The name of the group in the log, if it could not be read. */
  what: string;
  everyMs: number;
  /** Delays the first reading by a random time up to this, so that processes that start together do not all read at once. */
  firstWithinMs?: number;
  /** Reads the values and sets the gauges. On an error it removes or keeps the old values, and throws. */
  show(): Promise<void>;
}

/** Starts reading at once, or within `firstWithinMs`. `stop` does not wait for a reading in progress. */
export function keepShowing(figures: readonly Figures[], log: Log): Repeating {
  const repeating = figures.map(({ what, everyMs, firstWithinMs, show }) =>
    repeat(show, {
      ...{ everyMs, firstMs: firstWithinMs === undefined ? 0 : Math.random() * firstWithinMs },
      ...{ log, otherwise: 'metrics could not be read', fields: { what } },
    }),
  );
  return {
    stop() {
      // A process that shuts down does not wait for an answer of Temporal or a replica.
      void stopAll(repeating);
      return Promise.resolve();
    },
  };
}
