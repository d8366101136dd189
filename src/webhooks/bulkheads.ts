/** Keeps a merchant whose server is slow from taking the places of the others, and from holding up who waits. */

export interface BulkheadLimits {
  /** Deliveries in flight in this process. */
  inFlightMax: number;
  /** How many of them may be under way when one is begun that somebody waits for. */
  awaitedMax: number;
  /** Of those, to origins whose last delivery was slow. */
  slowMax: number;
  /** Of those, to one origin. */
  perOriginMax: number;
}

/** How a delivery went: nobody waits for an origin that was not quick, and a slow one gets fewer places. */
export type Pace = 'quick' | 'usual' | 'slow';

export interface HowToDeliver {
  /** Somebody waits for its end: it is not begun where the last one was not quick, or many are under way. */
  isAwaited: boolean;
}

export interface Bulkheads {
  /**
   * Takes a place for a delivery to `origin`.
   * @returns undefined when there is none; else what to call once when the delivery is over, with its pace, or without
   *   where nothing was sent.
   */
  enter(origin: string, how?: HowToDeliver): ((pace?: Pace) => void) | undefined;
}

export function bulkheads({ inFlightMax, awaitedMax, slowMax, perOriginMax }: BulkheadLimits): Bulkheads {
  const inFlightByOrigin = new Map<string, number>();
  /** Of every origin that was not quick the last time. */
  const paces = new Map<string, Exclude<Pace, 'quick'>>();
  let inFlight = 0;
  let slowInFlight = 0;

  return {
    enter(origin, { isAwaited } = { isAwaited: false }) {
      const toOrigin = inFlightByOrigin.get(origin) ?? 0;
      const isSlow = paces.get(origin) === 'slow';
      if (isAwaited && (paces.has(origin) || inFlight >= awaitedMax)) return undefined;
      if (inFlight >= inFlightMax || toOrigin >= perOriginMax || (isSlow && slowInFlight >= slowMax)) {
        return undefined;
      }
      inFlightByOrigin.set(origin, toOrigin + 1);
      inFlight += 1;
      if (isSlow) slowInFlight += 1;

      return (pace) => {
        inFlight -= 1;
        if (isSlow) slowInFlight -= 1;
        const others = (inFlightByOrigin.get(origin) ?? 1) - 1;
        if (others > 0) inFlightByOrigin.set(origin, others);
        else inFlightByOrigin.delete(origin);
        if (pace === 'quick') paces.delete(origin);
        else if (pace !== undefined) paces.set(origin, pace);
      };
    },
  };
}
