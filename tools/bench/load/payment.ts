/** The interface that the load generators drive: a payment of ours, or a bare workflow. */

/** The answer to the first request. */
export type Answer =
  | {
      kind: 'accepted';
      id: string;
      /** Resolves with the time when everything about it was finished, by `clockMs`. */
      finished: Promise<number>;
    }
  /** Nothing was begun. `retryAfterMs` is absent when the answer has no Retry-After. */
  | { kind: 'turned_away'; retryAfterMs?: number };

export type Pay = () => Promise<Answer>;

/** One payment that reached its end. Times are milliseconds of the wall clock, with fractions. */
export interface Sample {
  id: string;
  startedAt: number;
  acceptedAt: number;
  finishedAt: number;
  /** How often its caller was rejected before; no measurement contains that wait. */
  turnedAway?: number;
}

/** Wall-clock time finer than `Date.now()`, comparable between the processes of one machine. */
export function clockMs(): number {
  return performance.timeOrigin + performance.now();
}
