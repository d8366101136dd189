/**
 * Keeps a merchant whose server is slow from taking the places of the others, and from holding up who waits. Whoever finds
 * no place is told when to come back: one after the other, as places become free, however many there are.
 */

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

export interface Went {
  pace: Pace;
  /** Milliseconds. */
  tookMs: number;
}

export interface HowToDeliver {
  /** Somebody waits for its end: it is not begun where the last one was not quick, or many are under way. */
  isAwaited?: boolean;
  /** It has never waited, and overtakes none of those that do. */
  isNew?: boolean;
}

/** A place, to be left once when the delivery is over: with how it went, or without where nothing was sent. */
export interface Place {
  leave(went?: Went): void;
}

/** No place is free; milliseconds until it is likely to be this one's turn. */
export interface Turn {
  comeBackInMs: number;
}

export interface Bulkheads {
  /** Takes a place for a delivery to `origin`, if there is one. */
  enter(origin: string, how?: HowToDeliver): Place | Turn;
}

/** Places that some deliveries share: those to one origin, to all slow ones, or all. */
interface Lane {
  placesMax: number;
  inFlight: number;
  /** Milliseconds that one takes, by the last few; undefined before the first. */
  tookMs: number | undefined;
  /** When the last of those that wait comes back. */
  lastTurnAt: number;
}

interface Origin extends Lane {
  pace: Pace;
}

/** How much of what the last one took is in what one takes. */
const weightOfLast = 0.2;
/** Turns are closer than places become free, by what they take: one who comes too early costs less than an empty place. */
const closeness = 0.8;
/** Ten minutes, so that what waits is not forgotten where the merchant is quick again. */
const longestTurnMs = 600_000;

const lane = (placesMax: number): Lane => ({ placesMax, inFlight: 0, tookMs: undefined, lastTurnAt: 0 });

/** The next turn, after all that were given. @returns in how many milliseconds it is. */
function takeTurn(queue: Lane, at: number): number {
  const spacing = (closeness * (queue.tookMs ?? 0)) / Math.max(1, queue.placesMax);
  queue.lastTurnAt = Math.min(Math.max(at, queue.lastTurnAt) + spacing, at + longestTurnMs);
  return queue.lastTurnAt - at;
}

function learn(from: Lane, { pace, tookMs }: Went): void {
  from.tookMs = from.tookMs === undefined ? tookMs : from.tookMs + (tookMs - from.tookMs) * weightOfLast;
  // Places are free again sooner than was thought: who is new need not stand behind those who were told to wait.
  if (pace === 'quick') from.lastTurnAt = 0;
}

/** @param now milliseconds of a clock that goes forward. */
export function bulkheads(
  { inFlightMax, awaitedMax, slowMax, perOriginMax }: BulkheadLimits,
  now: () => number = () => performance.now(),
): Bulkheads {
  const all = lane(inFlightMax);
  const slow = lane(slowMax);
  /** Those with a delivery in flight, and those that were not quick the last time. */
  const origins = new Map<string, Origin>();

  return {
    enter(origin, { isAwaited = false, isNew = false } = {}) {
      const its = origins.get(origin) ?? { ...lane(perOriginMax), pace: 'quick' };
      const lanes = [all, its, ...(its.pace === 'slow' ? [slow] : [])];
      const at = now();
      const isShut = ({ placesMax, inFlight, lastTurnAt }: Lane) =>
        inFlight >= placesMax || (isNew && lastTurnAt > at);
      const shut = lanes.filter(isShut);
      if (isAwaited && (its.pace !== 'quick' || all.inFlight >= awaitedMax || shut.length > 0)) {
        return { comeBackInMs: 0 };
      }
      if (shut.length > 0) return { comeBackInMs: Math.max(...shut.map((one) => takeTurn(one, at))) };

      origins.set(origin, its);
      for (const one of lanes) one.inFlight += 1;
      return {
        leave(went) {
          for (const one of lanes) {
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
