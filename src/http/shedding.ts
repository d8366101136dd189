/**
 * Refuses work before it begins when more has been taken on than is being finished. A caller who is told to come
 * back in a few seconds loses less than one whose payment is accepted and then waits behind all the others.
 */

/** Below this age of the backlog everything is let in; above the second figure nothing is; in between, some. */
const pressureFromMs = 2_000;
const pressureFullMs = 5_000;
const sampleEveryMs = 1_000;
/** A sample this old says nothing about now: after a quiet time the first caller is let in. */
const sampleForgottenMs = 10_000;
const retryAfterSecondsMax = 10;

export type Admission =
  | { admitted: true; leave(): void }
  | { admitted: false; reason: 'concurrency' | 'backlog'; retryAfterSeconds: number };

export interface Shedding {
  /** Takes a place, or says how long to stay away. Whoever was admitted must leave. */
  enter(): Admission;
}

/** The share of calls to refuse, 0 to 1, when the backlog is this old. */
export function refusedShare(backlogAgeMs: number): number {
  const share = (backlogAgeMs - pressureFromMs) / (pressureFullMs - pressureFromMs);
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
  /** Places for calls that are being worked on at once. */
  acceptancesMax: number;
  /** The age in milliseconds of the oldest work that waits; asked at most once a second. */
  backlogAgeMs: () => Promise<number>;
  now?: () => number;
  random?: () => number;
}): Shedding {
  const { acceptancesMax, backlogAgeMs, now = Date.now, random = Math.random } = options;
  const gauge = createGauge(backlogAgeMs, now);
  let inside = 0;
  return {
    enter() {
      if (inside >= acceptancesMax) return { admitted: false, reason: 'concurrency', retryAfterSeconds: 1 };
      const ageMs = gauge.ageMs();
      if (random() < refusedShare(ageMs)) {
        const retryAfterSeconds = Math.min(retryAfterSecondsMax, Math.ceil(ageMs / 1000));
        return { admitted: false, reason: 'backlog', retryAfterSeconds };
      }
      inside += 1;
      let isInside = true;
      return {
        admitted: true,
        leave() {
          if (isInside) inside -= 1;
          isInside = false;
        },
      };
    },
  };
}
