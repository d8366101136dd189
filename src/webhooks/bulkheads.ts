/**
 * Concurrency limits that keep a merchant with a slow server from using the capacity of the others, and from delaying
 * a waiting caller. A delivery at a limit gets a time to come back. The times follow each other as capacity becomes
 * free, however many wait.
 */

export interface BulkheadLimits {
  /** Deliveries in flight in this process. */
  inFlightMax: number;
  /** A delivery with a waiting caller starts only while fewer than this many are in flight. */
  awaitedMax: number;
  /** Of those in flight, deliveries to origins whose last delivery was slow. */
  slowMax: number;
  /** Of those in flight, deliveries to one origin. */
  perOriginMax: number;
}

/** The speed of a delivery: no caller waits for an origin that was not quick, and a slow one gets a lower limit. */
export type Pace = 'quick' | 'usual' | 'slow';

export interface Went {
  pace: Pace;
  /** Milliseconds. */
  tookMs: number;
}

export interface HowToDeliver {
  /** A caller waits for its end: it does not start where the last one was not quick, or many are in flight. */
  isAwaited?: boolean;
  /** It has not waited yet, and must not overtake a waiting one. */
  isNew?: boolean;
}

/**
 * A place below the limits, to be left once when the delivery is over: with its speed, or without where nothing was
 * sent.
 */
export interface BulkheadPlace {
  leave(went?: Went): void;
}

/** The limit is reached; milliseconds until a place is probably free for this one. */
export interface QueuePosition {
  comeBackInMs: number;
}

export interface Bulkheads {
  /** Takes a place for a delivery to `origin`, if there is one. */
  enter(origin: string, how?: HowToDeliver): BulkheadPlace | QueuePosition;
}

/** A limit that some deliveries share: those to one origin, to all slow ones, or all. */
interface Bulkhead {
  placesMax: number;
  inFlight: number;
  /** The average duration of the last deliveries in milliseconds; undefined before the first. */
  tookMs: number | undefined;
  /** When the last waiting delivery comes back. */
  lastTurnAt: number;
}

interface Origin extends Bulkhead {
  pace: Pace;
}

/** The weight of the last delivery in the average duration. */
const weightOfLast = 0.2;
/**
 * Turns are closer together than places become free: a delivery that comes too early costs less than an unused place.
 */
const closeness = 0.8;
/** Ten minutes, so that waiting deliveries come back soon after the merchant is quick again. */
const longestTurnMs = 600_000;

const emptyBulkhead = (placesMax: number): Bulkhead => ({
  placesMax,
  inFlight: 0,
  tookMs: undefined,
  lastTurnAt: 0,
});

/** The next turn, after all earlier ones. @returns in how many milliseconds it is. */
function takeTurn(queue: Bulkhead, at: number): number {
  const spacing = (closeness * (queue.tookMs ?? 0)) / Math.max(1, queue.placesMax);
  queue.lastTurnAt = Math.min(Math.max(at, queue.lastTurnAt) + spacing, at + longestTurnMs);
  return queue.lastTurnAt - at;
}

function learn(from: Bulkhead, { pace, tookMs }: Went): void {
  from.tookMs = from.tookMs === undefined ? tookMs : from.tookMs + (tookMs - from.tookMs) * weightOfLast;
  // Places are free earlier than expected: a new delivery need not wait behind those that have a later turn.
  if (pace === 'quick') from.lastTurnAt = 0;
}

/** @param now milliseconds of a monotonic clock. */
export function bulkheads(
  { inFlightMax, awaitedMax, slowMax, perOriginMax }: BulkheadLimits,
  now: () => number = () => performance.now(),
): Bulkheads {
  const all = emptyBulkhead(inFlightMax);
  const slow = emptyBulkhead(slowMax);
  /** Origins with a delivery in flight, and those that were not quick the last time. */
  const origins = new Map<string, Origin>();

  return {
    enter(origin, { isAwaited = false, isNew = false } = {}) {
      const its = origins.get(origin) ?? { ...emptyBulkhead(perOriginMax), pace: 'quick' };
      const bulkheadsInUse = [all, its, ...(its.pace === 'slow' ? [slow] : [])];
      const at = now();
      const isShut = ({ placesMax, inFlight, lastTurnAt }: Bulkhead) =>
        inFlight >= placesMax || (isNew && lastTurnAt > at);
      const shut = bulkheadsInUse.filter(isShut);
      if (isAwaited && (its.pace !== 'quick' || all.inFlight >= awaitedMax || shut.length > 0)) {
        return { comeBackInMs: 0 };
      }
      if (shut.length > 0) return { comeBackInMs: Math.max(...shut.map((one) => takeTurn(one, at))) };

      origins.set(origin, its);
      for (const one of bulkheadsInUse) one.inFlight += 1;
      return {
        leave(went) {
          for (const one of bulkheadsInUse) {
            one.inFlight -= 1;
            if (went) learn(one, went);
          }
          if (went) its.pace = went.pace;
          if (its.pace === 'quick' && its.inFlight === 0) origins.delete(origin);
        },
      };
    },
  };
}
