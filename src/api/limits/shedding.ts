/**
 * Load shedding: rejects work before it starts when more work arrives than is finished. A caller that retries in a few
 * seconds loses less than a caller whose accepted payment waits behind all others.
 */

/**
 * Below this share of the maximal backlog age every call is admitted. Between it and the maximum, a part is rejected.
 */
const pressureFrom = 0.25;
const sampleEveryMs = 500;
/** A sample this old is ignored: after a quiet time the first caller is admitted. */
const sampleForgottenMs = 10_000;
const retryAfterSecondsMax = 10;
/** A call is admitted if its expected wait is below this share of the maximal backlog age. */
const shareOfWaiting = 0.22;
/** This many calls are always admitted, however slow they are. With fewer, no throughput can be measured. */
const few = 14;
/** A merchant with few calls in progress gets this factor more room than a merchant with many. */
const roomForModest = 1.5;

/** Below 1, so that the maximal backlog age rejects every call. */
const almostCertain = 1 - Number.EPSILON;

const monotonicMs = () => performance.now();

export interface NotAdmitted {
  admitted: false;
  reason: 'concurrency' | 'waiting' | 'backlog';
  retryAfterSeconds: number;
}

export type Admission = { admitted: true; leave(): void } | NotAdmitted;
export type AdmissionResult = { admitted: true; leave: Leave } | NotAdmitted;

/** The share of a process's capacity that some callers may use. */
export interface Share {
  /** Share of the concurrency limit of a rail. */
  places: number;
  /** Share of the maximal backlog age, and of the maximal wait. */
  backlog: number;
}

export interface Caller {
  share?: Share;
  merchantId?: string;
  /** How long the call was in progress before this check, in milliseconds. */
  waitedMs?: number;
}

export const wholeShare: Share = { places: 1, backlog: 1 };
/** Unauthenticated callers are the first to be rejected when work starts to wait. */
export const unauthenticatedShare: Share = { places: 1 / 8, backlog: 1 / 4 };

export interface Shedding {
  /**
   * Counts a call that waits for its payment to be created, before any work is done for it. Rejects it with a retry
   * time if it would wait too long, or would certainly exceed the concurrency limit. Every admitted call must leave.
   */
  tryAdmit(bulkhead: string, caller?: Caller): AdmissionResult;
  /**
   * Takes a place within the rail's concurrency limit, or rejects the call with a retry time. Every admitted call must
   * leave. Each rail has its own limit, so that a provider that hangs cannot use the capacity of the others.
   */
  enter(bulkhead: string, share?: Share): Admission;
}

/** The share of calls to reject, 0 to 1, at this backlog age and this maximal backlog age. */
export function refusedShare(backlogAgeMs: number, backlogMaxMs: number): number {
  const fromMs = backlogMaxMs * pressureFrom;
  const share = (backlogAgeMs - fromMs) / (backlogMaxMs - fromMs);
  return Math.min(1, Math.max(0, share));
}

interface PressureGauge {
  /** The last known backlog age. Starts a new query when one is due, and never waits for it. */
  ageMs(): number;
}

function createGauge(check: () => Promise<number>, now: () => number): PressureGauge {
  let sample = { ageMs: 0, at: -Infinity };
  let checkedAt = -Infinity;
  let isChecking = false;
  return {
    ageMs() {
      if (!isChecking && now() - checkedAt >= sampleEveryMs) {
        isChecking = true;
        checkedAt = now();
        void check()
          .then((ageMs) => {
            sample = { ageMs, at: now() };
          })
          // A failed query says nothing about the backlog. Its cause will show in the request itself.
          .catch(() => undefined)
          .finally(() => {
            isChecking = false;
          });
      }
      return now() - sample.at < sampleForgottenMs ? sample.ageMs : 0;
    },
  };
}

export function createShedding(options: {
  /** Concurrent calls per rail. */
  acceptancesMax: number;
  /** The backlog age in milliseconds from which every call is rejected. */
  backlogMaxMs: number;
  /** The age of the oldest waiting work in milliseconds. Queried at most twice a second. */
  backlogAgeMs: () => Promise<number>;
  /** Milliseconds of a monotonic clock. A clock that is set back would stop the queries. */
  now?: () => number;
  random?: () => number;
}): Shedding {
  const { acceptancesMax, backlogMaxMs, backlogAgeMs, now = monotonicMs, random = Math.random } = options;
  const gauge = createGauge(backlogAgeMs, now);
  const limit = createConcurrencyLimit(now);
  const inside = new Map<string, number>();
  const insideOf = (bulkhead: string) => inside.get(bulkhead) ?? 0;

  /** The expected wait in milliseconds, if it is too long. */
  function tooLong({ share = wholeShare, merchantId = '', waitedMs = 0 }: Caller): number | undefined {
    const waitMs = waitedMs + limit.waitMs();
    const size = limit.size();
    const fits = (room: number) =>
      size < few * share.places * room || waitMs <= backlogMaxMs * shareOfWaiting * share.backlog * room;
    if (fits(1)) return undefined;
    const { merchants, own } = limit.shares(merchantId);
    const isModest = own * 2 * merchants < size;
    return isModest && fits(roomForModest) ? undefined : waitMs;
  }

  /** @param chance from 0 to 1: the call is rejected if it is below the share of calls to reject. */
  function withoutPlace(bulkhead: string, share: Share, chance: number): NotAdmitted | undefined {
    if (insideOf(bulkhead) >= Math.max(1, acceptancesMax * share.places))
      return { admitted: false, reason: 'concurrency', retryAfterSeconds: 1 };
    const ageMs = gauge.ageMs();
    return chance < refusedShare(ageMs, backlogMaxMs * share.backlog)
      ? { admitted: false, reason: 'backlog', ...comeBackAfter(ageMs) }
      : undefined;
  }

  return {
    tryAdmit(bulkhead, caller = {}) {
      const { merchantId = '', share = wholeShare } = caller;
      const waitMs = tooLong(caller);
      if (waitMs !== undefined) return { admitted: false, reason: 'waiting', ...comeBackAfter(waitMs) };
      // Only `enter` counts how many callers of a rail are unauthenticated.
      const denial = withoutPlace(bulkhead, { ...share, places: 1 }, almostCertain);
      if (denial) return denial;
      return { admitted: true, leave: limit.enter({ bulkhead, merchantId }) };
    },
    enter(bulkhead, share = wholeShare) {
      const denial = withoutPlace(bulkhead, share, random());
      if (denial) return denial;
      inside.set(bulkhead, insideOf(bulkhead) + 1);
      let isInside = true;
      return {
        admitted: true,
        leave() {
          if (isInside) inside.set(bulkhead, insideOf(bulkhead) - 1);
          isInside = false;
        },
      };
    },
  };
}

function comeBackAfter(ms: number): { retryAfterSeconds: number } {
  return { retryAfterSeconds: Math.min(retryAfterSecondsMax, Math.ceil(ms / 1_000)) };
}

// The calls that wait for their payments to be created: how many there are, and how long one more would wait. They
// share the processors and Temporal; a provider's time delays no other call. The wait is measured: the number of calls,
// times the time between two that finish while many are in progress.

/** With fewer calls in progress, the time between two that finish does not measure the throughput. */
const manyFrom = 8;
/** Used until the first measurement. */
const firstGuessMs = 25;
/** The weight of earlier measurements when another call finishes. */
const remembered = 15 / 16;
/** A call that takes longer waits for something else, such as a provider that hangs. */
const countedForMs = 2_000;

interface Visit {
  /** The rail, which has a speed of its own. */
  bulkhead: string;
  merchantId: string;
}

export interface ConcurrencyLimit {
  /** How many calls wait for shared resources. It has fractions, because a call also waits for its provider. */
  size(): number;
  /** How long one more call would wait for its payment to be created, in milliseconds, without its provider's time. */
  waitMs(): number;
  /** The number of merchants with calls in progress, and this merchant's part of `size`. */
  shares(merchantId: string): { merchants: number; own: number };
  enter(visit: Visit): Leave;
}

/**
 * Called when a call ends, with the milliseconds that its provider took. 'unknown' means that the work started, but its
 * provider time is not known: then only the throughput is measured. Without an argument no work was started, and
 * nothing is measured. Only the first call counts.
 */
type Leave = (elsewhereMs?: number | 'unknown') => void;

interface Inside extends Visit {
  at: number;
}

export function createConcurrencyLimit(now: () => number): ConcurrencyLimit {
  const inside = new Set<Inside>();
  /** By rail: the milliseconds in progress, and the part of them that was spent on shared resources. */
  const spent = new Map<string, { own: number; all: number }>();
  let betweenMs = firstGuessMs;
  /**
   * When a call last ended while many were in progress, if there have been many since. Without load, the time between
   * two calls is no measure.
   */
  let leftAt: number | undefined;

  function ownShare(bulkhead: string): number {
    const { own, all } = spent.get(bulkhead) ?? { own: 1, all: 1 };
    return all > 0 ? own / all : 1;
  }

  const isCounted = ({ at }: Inside) => at > now() - countedForMs;

  function size(): number {
    let sum = 0;
    for (const one of inside) if (isCounted(one)) sum += ownShare(one.bulkhead);
    return sum;
  }

  function learnShare({ bulkhead, at }: Inside, elsewhereMs: number): void {
    const all = now() - at;
    const own = Math.max(0, all - elsewhereMs);
    const before = spent.get(bulkhead) ?? { own: 0, all: 0 };
    spent.set(bulkhead, { own: before.own * remembered + own, all: before.all * remembered + all });
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
        if (one.merchantId === merchantId) own += ownShare(one.bulkhead);
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
        // A call that is no longer counted frees no capacity when it gives up.
        const makesWay = elsewhereMs !== 'unknown' || isCounted(one);
        if (wereMany && makesWay) learnPace();
      };
    },
  };
}
