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

// Whoever waits for an acceptance at the same time: how many, and how long one more of them would. What makes them wait is
// what they share, the processors and Temporal; the time of their providers is nobody's queue. So the answer is measured:
// as many as are inside, times the time between two who leave while many are.

/** Fewer than this leave as they came, which tells nothing of how fast they could. */
const manyFrom = 8;
/** Until it was measured. */
const firstGuessMs = 25;
/** Of what was known before, whenever another leaves. */
const remembered = 15 / 16;
/** Whoever is inside for longer waits for something else, such as a provider that hangs. */
const countedForMs = 2_000;

interface Visit {
  /** Who is called, and has a speed of their own. */
  lane: string;
  merchantId: string;
}

export interface Crowd {
  /** How many of those inside wait for what is shared; with fractions, as many wait for a provider besides. */
  size(): number;
  /** Milliseconds for which one more of them would wait for an acceptance, without its provider's time. */
  waitMs(): number;
  /** Merchants who have somebody inside, and how many of `size` are this one's. */
  shares(merchantId: string): { merchants: number; own: number };
  enter(visit: Visit): Leave;
}

/**
 * To be called when one leaves, with the milliseconds that were its provider's. They are 'unknown' of work that was begun
 * and not served, or of which nobody told: then only that it made way is learnt. Without anything when none was begun, of
 * which nothing is learnt. Once is enough.
 */
type Leave = (elsewhereMs?: number | 'unknown') => void;

interface Inside extends Visit {
  at: number;
}

export function createCrowd(now: () => number): Crowd {
  const inside = new Set<Inside>();
  /** By lane: of the milliseconds spent inside, those that were spent waiting for what is shared. */
  const spent = new Map<string, { own: number; all: number }>();
  let betweenMs = firstGuessMs;
  /** When somebody last left while many were inside, if there have been many ever since: nobody is slow who is not there. */
  let leftAt: number | undefined;

  function ownShare(lane: string): number {
    const { own, all } = spent.get(lane) ?? { own: 1, all: 1 };
    return all > 0 ? own / all : 1;
  }

  const isCounted = ({ at }: Inside) => at > now() - countedForMs;

  function size(): number {
    let sum = 0;
    for (const one of inside) if (isCounted(one)) sum += ownShare(one.lane);
    return sum;
  }

  function learnShare({ lane, at }: Inside, elsewhereMs: number): void {
    const all = now() - at;
    const own = Math.max(0, all - elsewhereMs);
    const before = spent.get(lane) ?? { own: 0, all: 0 };
    spent.set(lane, { own: before.own * remembered + own, all: before.all * remembered + all });
  }

  function learnPace(): void {
    if (leftAt !== undefined) {
      betweenMs = betweenMs * remembered + Math.min(now() - leftAt, countedForMs) * (1 - remembered);
    }
    leftAt = now();
  }

  return {
    size,
    waitMs: () => (size() + 1) * betweenMs,
    shares(merchantId) {
      const merchants = new Set([merchantId]);
      let own = 0;
      for (const one of inside) {
        if (!isCounted(one)) continue;
        merchants.add(one.merchantId);
        if (one.merchantId === merchantId) own += ownShare(one.lane);
      }
      return { merchants: merchants.size, own };
    },
    enter(visit) {
      if (size() + 1 < manyFrom) leftAt = undefined;
      const one = { ...visit, at: now() };
      inside.add(one);
      return (elsewhereMs) => {
        const wereMany = size() >= manyFrom;
        if (!inside.delete(one)) return;
        if (!wereMany) leftAt = undefined;
        if (elsewhereMs === undefined) return;
        if (elsewhereMs !== 'unknown') learnShare(one, elsewhereMs);
        // Who was counted no more makes no way for anybody by giving up.
        const makesWay = elsewhereMs !== 'unknown' || isCounted(one);
        if (wereMany && makesWay) learnPace();
      };
    },
  };
}
