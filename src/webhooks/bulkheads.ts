/** Keeps a merchant whose server is slow from taking the places of the others. */

export interface BulkheadLimits {
  /** Deliveries in flight in this process. */
  inFlightMax: number;
  /** Of those, to origins whose last delivery was slow. */
  slowMax: number;
  /** Of those, to one origin. */
  perOriginMax: number;
}

export interface Bulkheads {
  /**
   * Takes a place for a delivery to `origin`.
   * @returns undefined when there is none; else what to call once when the delivery is over, with whether it was
   *   slow, or without where nothing was sent.
   */
  enter(origin: string): ((wasSlow?: boolean) => void) | undefined;
}

export function bulkheads({ inFlightMax, slowMax, perOriginMax }: BulkheadLimits): Bulkheads {
  const inFlightByOrigin = new Map<string, number>();
  const slowOrigins = new Set<string>();
  let inFlight = 0;
  let slowInFlight = 0;

  return {
    enter(origin) {
      const toOrigin = inFlightByOrigin.get(origin) ?? 0;
      const isSlow = slowOrigins.has(origin);
      if (inFlight >= inFlightMax || toOrigin >= perOriginMax || (isSlow && slowInFlight >= slowMax)) {
        return undefined;
      }
      inFlightByOrigin.set(origin, toOrigin + 1);
      inFlight += 1;
      if (isSlow) slowInFlight += 1;

      return (wasSlow) => {
        inFlight -= 1;
        if (isSlow) slowInFlight -= 1;
        const others = (inFlightByOrigin.get(origin) ?? 1) - 1;
        if (others > 0) inFlightByOrigin.set(origin, others);
        else inFlightByOrigin.delete(origin);
        if (wasSlow === true) slowOrigins.add(origin);
        if (wasSlow === false) slowOrigins.delete(origin);
      };
    },
  };
}
