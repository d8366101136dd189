/**
 * Refuses work before it begins when more has been taken on than is being finished. A caller who is told to come
 * back in a few seconds loses less than one whose payment is accepted and then waits behind all the others.
 */
import { createCrowd, type Leave } from './crowd';

/** Below this share of the age at which nothing is let in, everything is; in between, some. */
const pressureFrom = 0.25;
const sampleEveryMs = 500;
/** A sample this old says nothing about now: after a quiet time the first caller is let in. */
const sampleForgottenMs = 10_000;
const retryAfterSecondsMax = 10;
/** A caller is let in who will wait for no longer than this, of the age at which nobody is. */
const shareOfWaiting = 0.22;
/** As many are always let in, however slow all of it is: of fewer nothing could be learnt, and somebody must be. */
const few = 14;
/** By how much more a merchant who has hardly anybody inside is let in, beside one who fills the places. */
const roomForModest = 1.5;

/** Below 1, so that a backlog at which nobody is let in turns everybody away. */
const almostCertain = 1 - Number.EPSILON;

const monotonicMs = () => performance.now();

export interface Refusal {
  admitted: false;
  reason: 'concurrency' | 'waiting' | 'backlog';
  retryAfterSeconds: number;
}

export type Admission = { admitted: true; leave(): void } | Refusal;
export type Knock = { admitted: true; leave: Leave } | Refusal;

/** The part of a process that some callers may fill. */
export interface Share {
  /** Of the places of a lane. */
  places: number;
  /** Of the age that the backlog may have, and of the time that a caller may wait. */
  backlog: number;
}

export interface Caller {
  share?: Share;
  merchantId?: string;
  /** How long the call was under way before it came here, in milliseconds. */
  waitedMs?: number;
}

export const wholeShare: Share = { places: 1, backlog: 1 };
/** Strangers are the first to be turned away when work begins to wait. */
export const strangersShare: Share = { places: 1 / 8, backlog: 1 / 4 };

export interface Shedding {
  /**
   * Counts a call among those that wait for an acceptance, before anything is spent on it; or says how long to stay away,
   * where it would wait for too long, or certainly find no place. Whoever was let in must leave.
   */
  knock(lane: string, caller?: Caller): Knock;
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
  const crowd = createCrowd(now);
  const inside = new Map<string, number>();
  const insideOf = (lane: string) => inside.get(lane) ?? 0;

  /** The milliseconds that a caller would wait, where that is too long. */
  function tooLong({ share = wholeShare, merchantId = '', waitedMs = 0 }: Caller): number | undefined {
    const waitMs = waitedMs + crowd.waitMs();
    const size = crowd.size();
    const fits = (room: number) =>
      size < few * share.places * room || waitMs <= backlogMaxMs * shareOfWaiting * share.backlog * room;
    if (fits(1)) return undefined;
    const { merchants, own } = crowd.shares(merchantId);
    const isModest = own * 2 * merchants < size;
    return isModest && fits(roomForModest) ? undefined : waitMs;
  }

  /** @param chance from 0 to 1: of a backlog that turns a share of the callers away, whom it meets. */
  function withoutPlace(lane: string, share: Share, chance: number): Refusal | undefined {
    if (insideOf(lane) >= Math.max(1, acceptancesMax * share.places))
      return { admitted: false, reason: 'concurrency', retryAfterSeconds: 1 };
    const ageMs = gauge.ageMs();
    return chance < refusedShare(ageMs, backlogMaxMs * share.backlog)
      ? { admitted: false, reason: 'backlog', ...comeBackAfter(ageMs) }
      : undefined;
  }

  return {
    knock(lane, caller = {}) {
      const { merchantId = '', share = wholeShare } = caller;
      const waitMs = tooLong(caller);
      if (waitMs !== undefined) return { admitted: false, reason: 'waiting', ...comeBackAfter(waitMs) };
      // How many of its lane are strangers is for `enter` to tell.
      const refusal = withoutPlace(lane, { ...share, places: 1 }, almostCertain);
      if (refusal) return refusal;
      return { admitted: true, leave: crowd.enter({ lane, merchantId }) };
    },
    enter(lane, share = wholeShare) {
      const refusal = withoutPlace(lane, share, random());
      if (refusal) return refusal;
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

function comeBackAfter(ms: number): { retryAfterSeconds: number } {
  return { retryAfterSeconds: Math.min(retryAfterSecondsMax, Math.ceil(ms / 1_000)) };
}
