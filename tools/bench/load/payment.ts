/** What the load generators drive: a payment of ours and a bare workflow alike. */

/** How the other side answered the request to begin. */
export type Answer =
  | {
      kind: 'accepted';
      id: string;
      /** Resolves with the moment at which everything about it was over, as `clockMs` tells time. */
      finished: Promise<number>;
    }
  /** Nothing was begun. `retryAfterMs` is absent when the caller was not told when to come back. */
  | { kind: 'turned_away'; retryAfterMs?: number };

export type Pay = () => Promise<Answer>;

/** One payment that was taken to its end. Moments are milliseconds of wall-clock time, with fractions. */
export interface Sample {
  id: string;
  startedAt: number;
  acceptedAt: number;
  finishedAt: number;
  /** How often its caller had been told to come back before; that wait is in no figure. */
  turnedAway?: number;
}

/** Wall-clock time finer than `Date.now()`, comparable between the processes of one machine. */
export function clockMs(): number {
  return performance.timeOrigin + performance.now();
}
