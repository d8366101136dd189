/**
 * Refuses work before it begins when more has been taken on than is being finished. A caller who is told to come
 * back in a few seconds loses less than one whose payment is accepted and then waits behind all the others.
 */

/** Below this share of the age at which nothing is let in, everything is; in between, some. */
const pressureFrom = 0.25;
const sampleEveryMs = 500;
/** A sample this old says nothing about now: after a quiet time the first caller is let in. */
const sampleForgottenMs = 10_000;
const retryAfterSecondsMax = 10;

const monotonicMs = () => performance.now();

export type Admission =
  | { admitted: true; leave(): void }
  | { admitted: false; reason: 'concurrency' | 'backlog'; retryAfterSeconds: number };

/** The part of a process that some callers may fill. */
export interface Share {
  /** Of the places of a lane. */
  places: number;
  /** Of the age that the backlog may have. */
  backlog: number;
}

export const wholeShare: Share = { places: 1, backlog: 1 };
/** Strangers are the first to be turned away when work begins to wait. */
export const strangersShare: Share = { places: 1 / 8, backlog: 1 / 4 };

export interface Shedding {
  /**
   * Takes a place of the lane, or says how long to stay away. Whoever was admitted must leave. Each provider's calls
   * have a lane of their own, so that one that hangs fills no other's places.
   */
  enter(lane: string, share?: Share): Admission;
}

/** The share of calls to refuse, 0 to 1, when the backlog is this old and may be this old at most. */
export function refusedShare(backlogAgeMs: number, backlogMaxMs: number): number {
  const fromMs = backlogMaxMs * pressureFrom;
  const share = (backlogAgeMs - fromMs) / (backlogMaxMs - fromMs);
  return Math.min(1, Math.max(0, share));
}

interface PressureGauge {
  /** The last known age of the backlog. Starts a new look when it is due, and never waits for it. */
  ageMs(): number;
}

function createGauge(look: () => Promise<number>, now: () => number): PressureGauge {
  let sample = { ageMs: 0, at: -Infinity };
  let lookedAt = -Infinity;
  let isLooking = false;
  return {
    ageMs() {
      if (!isLooking && now() - lookedAt >= sampleEveryMs) {
        isLooking = true;
        lookedAt = now();
        void look()
          .then((ageMs) => {
            sample = { ageMs, at: now() };
          })
          // A failed look says nothing about the backlog; what made it fail will show in the request itself.
          .catch(() => undefined)
          .finally(() => {
            isLooking = false;
          });
      }
      return now() - sample.at < sampleForgottenMs ? sample.ageMs : 0;
    },
  };
}

export function createShedding(options: {
  /** Places of each lane, for calls that are being worked on at once. */
  acceptancesMax: number;
  /** The age of the backlog, in milliseconds, from which nothing is let in. */
  backlogMaxMs: number;
  /** The age in milliseconds of the oldest work that waits; asked at most twice a second. */
  backlogAgeMs: () => Promise<number>;
  /** In milliseconds, from any moment on; a clock that is set back would stop the looks. */
  now?: () => number;
  random?: () => number;
}): Shedding {
  const { acceptancesMax, backlogMaxMs, backlogAgeMs, now = monotonicMs, random = Math.random } = options;
  const gauge = createGauge(backlogAgeMs, now);
  const inside = new Map<string, number>();
  const insideOf = (lane: string) => inside.get(lane) ?? 0;
  return {
    enter(lane, share = wholeShare) {
      if (insideOf(lane) >= Math.max(1, acceptancesMax * share.places))
        return { admitted: false, reason: 'concurrency', retryAfterSeconds: 1 };
      const ageMs = gauge.ageMs();
      if (random() < refusedShare(ageMs, backlogMaxMs * share.backlog)) {
        const retryAfterSeconds = Math.min(retryAfterSecondsMax, Math.ceil(ageMs / 1000));
        return { admitted: false, reason: 'backlog', retryAfterSeconds };
      }
      inside.set(lane, insideOf(lane) + 1);
      let isInside = true;
      return {
        admitted: true,
        leave() {
          if (isInside) inside.set(lane, insideOf(lane) - 1);
          isInside = false;
        },
      };
    },
  };
}
