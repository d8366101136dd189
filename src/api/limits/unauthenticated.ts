/**
 * Limits for unauthenticated callers, so that they cannot slow down authenticated merchants. Their calls are counted by
 * address before anything is read. The payments that they start take turns, in the gaps between the merchants'
 * requests.
 */
import { PaymentError } from '../../domain/errors';
import { addressBlock } from '../../domain/ip-address';
import type { Limit, RateLimitDecision } from '../../merchants/rate-limit';

/** Calls of any kind from one address. They use a little of one process. */
const callsPerMinute = 600;
/** A merchant's call needs most of our resources at its start. After this time it mostly waits for its provider. */
const beginningMs = 250;

export interface UnauthenticatedSettings {
  /** Orders from one address, over all API processes. */
  ordersPerMinute: number;
  /** Orders of all unauthenticated callers, started by one API process. */
  allOrdersPerMinute: number;
}

export interface UnauthenticatedLimits {
  /** @throws PaymentError RATE_LIMITED */
  admitCall(address: string): void;
  /**
   * Checks whether an order would be admitted, without counting it.
   * @throws PaymentError RATE_LIMITED
   */
  checkOrder(address: string): void;
  /**
   * Counts an order, and returns the limit over all processes that it must also pass.
   * @throws PaymentError RATE_LIMITED. It does not say whether anything was started, because the request may be a
   * repeat.
   */
  admitOrder(address: string): Limit;
  /**
   * Waits for the turn of a valid order. Invalid orders use no part of the shared limit.
   * @throws PaymentError RATE_LIMITED, as `admitOrder`.
   */
  turnOf(address: string): Promise<void>;
  /**
   * An authenticated merchant starts something, so unauthenticated callers wait for a gap. @returns what to call when
   * it is over.
   */
  merchantBegins(): () => void;
}

function pass(decision: RateLimitDecision): void {
  if (!decision.allowed) {
    throw new PaymentError('RATE_LIMITED', { retryAfterSeconds: decision.retryAfterSeconds });
  }
}

export function createUnauthenticatedLimits({
  ordersPerMinute,
  allOrdersPerMinute,
}: UnauthenticatedSettings): UnauthenticatedLimits {
  const calls = createAddressLimiter(perMinute(callsPerMinute));
  const orders = createAddressLimiter(perMinute(ordersPerMinute));
  const beginning = new Set<{ at: number }>();
  const turns = createTurns({
    perMinute: allOrdersPerMinute,
    isBusy: () => [...beginning].some(({ at }) => performance.now() - at < beginningMs),
    askedBy: (block) => orders.recent(block),
  });
  return {
    admitCall(address) {
      pass(calls.take(addressBlock(address)));
    },
    checkOrder(address) {
      const block = addressBlock(address);
      pass(orders.check(block));
      turns.check(block);
    },
    admitOrder(address) {
      const block = addressBlock(address);
      // First the limit in memory, which costs nothing.
      pass(orders.take(block));
      return { bucket: `address:${block}`, ...perMinute(ordersPerMinute) };
    },
    turnOf: (address) => turns.take(addressBlock(address)),
    merchantBegins() {
      const one = { at: performance.now() };
      beginning.add(one);
      return () => void beginning.delete(one);
    },
  };
}

// Turns for the work of unauthenticated callers. It starts at a steady pace, in the gaps between the merchants'
// requests, and never in a burst beside them. Without gaps, one is let through now and then all the same. Among those
// that wait, the caller with the fewest recent requests comes first.

interface TurnsOptions {
  perMinute: number;
  /** True while there is no gap. */
  isBusy(): boolean;
  /** The number of recent requests of a caller: the fewer, the sooner its turn. */
  askedBy(name: string): number;
  waitingMax?: number;
  /** How long a caller waits for a turn before it is rejected, in milliseconds. */
  patienceMs?: number;
}

export interface Turns {
  /** @throws PaymentError RATE_LIMITED for a caller that would not be queued. */
  check(name: string): void;
  /**
   * Resolves at the caller's turn.
   * @throws PaymentError RATE_LIMITED if the queue is full of callers with about as many requests or fewer, or no turn
   * came in time.
   */
  take(name: string): Promise<void>;
}

/** Under full load, one starts this often: at half the pace, and once a second if that is slower. */
const longestGapMs = 1_000;
/** How often the loop checks for a gap. */
const checkEveryMs = 10;

interface Waiting {
  name: string;
  begin(): void;
  refuse(): void;
}

export function createTurns(options: TurnsOptions): Turns {
  const { perMinute, isBusy, askedBy, waitingMax = 16, patienceMs = 3_000 } = options;
  const everyMs = 60_000 / perMinute;
  const atLeastEveryMs = Math.max(everyMs, Math.min(longestGapMs, 2 * everyMs));
  const queue: Waiting[] = [];
  let begunAt = -Infinity;
  let timer: NodeJS.Timeout | undefined;

  function denial(): PaymentError {
    return new PaymentError('RATE_LIMITED', { retryAfterSeconds: Math.ceil(patienceMs / 1_000) });
  }

  /** The last to arrive, among the callers with the most requests. */
  function greediest(): Waiting | undefined {
    let found: Waiting | undefined;
    for (const one of queue) if (!found || askedBy(one.name) >= askedBy(found.name)) found = one;
    return found;
  }

  /** The first to arrive, among the callers with the fewest requests. */
  function modest(): Waiting | undefined {
    let found: Waiting | undefined;
    for (const one of queue) if (!found || askedBy(one.name) < askedBy(found.name)) found = one;
    return found;
  }

  function leave(one: Waiting): void {
    const place = queue.indexOf(one);
    if (place !== -1) queue.splice(place, 1);
  }

  function msToNext(): number {
    const sinceMs = performance.now() - begunAt;
    if (sinceMs < everyMs) return everyMs - sinceMs;
    return sinceMs < atLeastEveryMs && isBusy() ? checkEveryMs : 0;
  }

  function go(): void {
    timer = undefined;
    for (let next = modest(); next; next = modest()) {
      const waitMs = msToNext();
      if (waitMs > 0) {
        // The caller's connection keeps the process alive.
        timer = setTimeout(go, Math.ceil(waitMs)).unref();
        return;
      }
      leave(next);
      begunAt = performance.now();
      next.begin();
    }
  }

  /**
   * The callers of a flood have about the same number of requests. If each replaced another one, all of their bodies
   * would be read.
   */
  const hasRoomFor = (name: string, asked: number): boolean =>
    queue.length < waitingMax || asked * 2 < askedBy(greediest()?.name ?? name);

  return {
    check(name) {
      // The number after this request is counted.
      if (!hasRoomFor(name, askedBy(name) + 1)) throw denial();
    },
    take(name) {
      if (!hasRoomFor(name, askedBy(name))) return Promise.reject(denial());
      if (queue.length >= waitingMax) greediest()?.refuse();
      return new Promise((resolve, reject) => {
        const one: Waiting = {
          name,
          begin() {
            clearTimeout(patience);
            resolve();
          },
          refuse() {
            clearTimeout(patience);
            leave(one);
            reject(denial());
          },
        };
        const patience = setTimeout(one.refuse, patienceMs).unref();
        queue.push(one);
        if (!timer) go();
      });
    },
  };
}

// Limits by address, in the memory of one process: an unauthenticated call must not cost a database write. Each API
// process counts for itself, so all together admit at most their number times the limit.

interface AddressLimit {
  /** Sustained rate. Up to `burst` at once after a quiet time, and never more in any 60 s. */
  ratePerMinute: number;
  burst: number;
}

interface AddressLimiter {
  /** Counts one call, if it is allowed. */
  take(address: string): RateLimitDecision;
  /** Returns what `take` would return, and counts nothing. */
  check(address: string): RateLimitDecision;
  /** How many were admitted in the last minute. */
  recent(address: string): number;
}

interface Bucket {
  tokens: number;
  refilledAt: number;
  /** The times of the calls admitted in the last minute. */
  recent: number[];
}

const minuteMs = 60_000;
/** A wall clock that is set back would keep old calls in the count for that long. */
const monotonicMs = () => performance.now();

/** The specification's proportion: 60 per minute, burst up to 100. */
export function perMinute(ratePerMinute: number): AddressLimit {
  return { ratePerMinute, burst: Math.ceil((ratePerMinute * 5) / 3) };
}

/** @param addressesMax how many addresses are stored; the least recently used one is dropped first. */
export function createAddressLimiter(
  { ratePerMinute, burst }: AddressLimit,
  { addressesMax = 10_000, now = monotonicMs }: { addressesMax?: number; now?: () => number } = {},
): AddressLimiter {
  const buckets = new Map<string, Bucket>();
  const perMinuteMax = Math.max(burst, ratePerMinute);

  /** The bucket at the current time. */
  function current(address: string): Bucket {
    const at = now();
    const bucket = buckets.get(address) ?? { tokens: burst, refilledAt: at, recent: [] };
    const elapsedMs = Math.max(0, at - bucket.refilledAt);
    bucket.tokens = Math.min(burst, bucket.tokens + (elapsedMs * ratePerMinute) / minuteMs);
    bucket.refilledAt = at;
    const first = bucket.recent.findIndex((moment) => moment > at - minuteMs);
    bucket.recent.splice(0, first === -1 ? bucket.recent.length : first);
    return bucket;
  }

  function decide({ tokens, recent, refilledAt }: Bucket): RateLimitDecision {
    const untilToken = ((1 - tokens) * minuteMs) / ratePerMinute;
    const oldest = recent.length < perMinuteMax ? undefined : recent[0];
    const untilRoom = oldest === undefined ? 0 : oldest + minuteMs - refilledAt;
    const waitMs = Math.max(untilToken, untilRoom);
    return waitMs <= 1e-6
      ? { allowed: true }
      : { allowed: false, retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) };
  }

  return {
    check: (address) => decide(current(address)),
    recent: (address) => current(address).recent.length,
    take(address) {
      const bucket = current(address);
      const decision = decide(bucket);
      if (decision.allowed) {
        bucket.tokens -= 1;
        bucket.recent.push(bucket.refilledAt);
      }
      buckets.delete(address);
      buckets.set(address, bucket);
      const [longestUnheard] = buckets.keys();
      if (buckets.size > addressesMax && longestUnheard !== undefined) buckets.delete(longestUnheard);
      return decision;
    },
  };
}

// Limits the work on forged notifications. Only notifications without effect count, so no authentic notification is
// lost, however many a provider sends. A signature, a challenge or a secret token proves one. An address that has sent
// an authentic one may send ten times as many without effect.

const futilePerMinute = 600;
const forgivenTimes = 10;
const provenAddressesMax = 1_000;
/**
 * Customers who share a carrier's address return once each, and may reload. An address that creates 60 orders a minute
 * for an hour can return 180 times a second uncounted. That is a tenth of one database connection.
 */
const returnsPerMinute = 3;

export interface NotificationGuard {
  /** @throws PaymentError RATE_LIMITED before anything is read. */
  admit(address: string): void;
  /** The caller knows something that an unauthenticated caller cannot know. */
  proven(address: string): void;
  /** The notification had no effect. */
  futile(address: string): void;
  /**
   * A browser returned from a payment that exists. It counts as without effect once it returns more often than a
   * customer would.
   */
  returned(address: string, paymentId: string): void;
}

export function createNotificationGuard(): NotificationGuard {
  const unauthenticated = createAddressLimiter(perMinute(futilePerMinute));
  const providers = createAddressLimiter(perMinute(futilePerMinute * forgivenTimes));
  const returns = createAddressLimiter(perMinute(returnsPerMinute));
  const known = new Set<string>();
  const limiterOf = (block: string) => (known.has(block) ? providers : unauthenticated);
  const futile = (address: string) => {
    const block = addressBlock(address);
    limiterOf(block).take(block);
  };
  return {
    admit(address) {
      const block = addressBlock(address);
      const decision = limiterOf(block).check(block);
      if (!decision.allowed) {
        throw new PaymentError('RATE_LIMITED', { retryAfterSeconds: decision.retryAfterSeconds });
      }
    },
    proven(address) {
      const block = addressBlock(address);
      known.delete(block);
      known.add(block);
      const [longestUnheard] = known;
      if (known.size > provenAddressesMax && longestUnheard !== undefined) known.delete(longestUnheard);
    },
    futile,
    returned(address, paymentId) {
      if (!returns.take(paymentId).allowed) futile(address);
    },
  };
}
