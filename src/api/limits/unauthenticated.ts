/**
 * Callers who prove nothing. Whatever they do costs a merchant with keys nothing: they are counted by their address
 * before anything is read, and what all of them together begin goes through turns that leave the way free for merchants.
 */
import { PaymentError } from '../../domain/errors';
import { addressBlock } from '../../domain/ip-address';
import type { Limit, RateLimitDecision } from '../../merchants/rate-limit';

/** Calls of any kind, of one address: they cost a little of one process. */
const callsPerMinute = 600;
/** What a merchant's call costs us comes first; from then on it mostly waits for its provider. */
const beginningMs = 250;

export interface StrangerSettings {
  /** Orders of one address, all API processes together. */
  ordersPerMinute: number;
  /** Orders of all strangers, begun by one API process. */
  allOrdersPerMinute: number;
}

export interface Strangers {
  /** @throws PaymentError RATE_LIMITED */
  admitCall(address: string): void;
  /**
   * Says whether an order would be worth reading, and counts nothing.
   * @throws PaymentError RATE_LIMITED
   */
  lookAtOrder(address: string): void;
  /**
   * Counts an order that is worth looking at, and says what else it has to fit into.
   * @throws PaymentError RATE_LIMITED. That says nothing of whether anything was started, which is not known of a request
   *   that may be a repetition.
   */
  admitOrder(address: string): Limit;
  /**
   * Waits for the turn of an order that a merchant can take: invented ones use up nothing of what all strangers share.
   * @throws PaymentError RATE_LIMITED, as `admitOrder`.
   */
  turnOf(address: string): Promise<void>;
  /** A merchant with keys begins something: strangers wait for a gap. @returns what to call when it is over. */
  merchantBegins(): () => void;
}

function pass(decision: RateLimitDecision): void {
  if (!decision.allowed) {
    throw new PaymentError('RATE_LIMITED', { retryAfterSeconds: decision.retryAfterSeconds });
  }
}

export function createStrangers({ ordersPerMinute, allOrdersPerMinute }: StrangerSettings): Strangers {
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
    lookAtOrder(address) {
      const block = addressBlock(address);
      pass(orders.look(block));
      turns.look(block);
    },
    admitOrder(address) {
      const block = addressBlock(address);
      // First in memory, where it costs nothing.
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

// Turns for work that nobody with keys asked for: it begins one after another, at a steady pace and in the gaps between
// what merchants with keys begin, and never in a burst beside them. Whoever finds no gap is let through all the same now
// and then; among those who wait, whoever has asked for least comes first.

interface TurnsOptions {
  perMinute: number;
  /** True while a gap has to be waited for. */
  isBusy(): boolean;
  /** How much somebody has asked for lately: the fewer, the sooner. */
  askedBy(name: string): number;
  waitingMax?: number;
  /** How long, in milliseconds, somebody waits for a turn before being told to come back. */
  patienceMs?: number;
}

export interface Turns {
  /** @throws PaymentError RATE_LIMITED for somebody who would not be let into the queue. */
  look(name: string): void;
  /**
   * Resolves when it is somebody's turn.
   * @throws PaymentError RATE_LIMITED when enough wait who have not asked for far more, or no turn came in time.
   */
  take(name: string): Promise<void>;
}

/** However busy, one begins this often: at half the pace, and once a second where that is slower. */
const longestGapMs = 1_000;
/** How often a gap is looked for. */
const lookEveryMs = 10;

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

  function refusal(): PaymentError {
    return new PaymentError('RATE_LIMITED', { retryAfterSeconds: Math.ceil(patienceMs / 1_000) });
  }

  /** Of those who have asked for most, the one who came last. */
  function greediest(): Waiting | undefined {
    let found: Waiting | undefined;
    for (const one of queue) if (!found || askedBy(one.name) >= askedBy(found.name)) found = one;
    return found;
  }

  /** Of those who have asked for least, the one who came first. */
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
    return sinceMs < atLeastEveryMs && isBusy() ? lookEveryMs : 0;
  }

  function go(): void {
    timer = undefined;
    for (let next = modest(); next; next = modest()) {
      const waitMs = msToNext();
      if (waitMs > 0) {
        // Whoever waits keeps the process alive by their connection.
        timer = setTimeout(go, Math.ceil(waitMs)).unref();
        return;
      }
      leave(next);
      begunAt = performance.now();
      next.begin();
    }
  }

  /** Those of a flood ask for much the same: were each to take another's place, all of them would have to be read. */
  const hasRoomFor = (name: string, asked: number): boolean =>
    queue.length < waitingMax || asked * 2 < askedBy(greediest()?.name ?? name);

  return {
    look(name) {
      // As it will be once this is counted.
      if (!hasRoomFor(name, askedBy(name) + 1)) throw refusal();
    },
    take(name) {
      if (!hasRoomFor(name, askedBy(name))) return Promise.reject(refusal());
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
            reject(refusal());
          },
        };
        const patience = setTimeout(one.refuse, patienceMs).unref();
        queue.push(one);
        if (!timer) go();
      });
    },
  };
}

// Limits by address, in the memory of one process: what a stranger does must not cost a write to the database each time.
// Each API process counts for itself, so that all together let through at most their number times the limit.

interface AddressLimit {
  /** Sustained; up to `burst` at once after a quiet time, and never more in any 60 s. */
  ratePerMinute: number;
  burst: number;
}

interface AddressLimiter {
  /** Counts one, if it is allowed. */
  take(address: string): RateLimitDecision;
  /** Says what `take` would, and counts nothing. */
  look(address: string): RateLimitDecision;
  /** How many were let through in the last minute. */
  recent(address: string): number;
}

interface Bucket {
  tokens: number;
  refilledAt: number;
  /** When each of the last minute was let through. */
  recent: number[];
}

const minuteMs = 60_000;
/** A clock that is set back would keep what it let through in mind for as long as that. */
const monotonicMs = () => performance.now();

/** The specification's own proportion: 60 per minute, burst up to 100. */
export function perMinute(ratePerMinute: number): AddressLimit {
  return { ratePerMinute, burst: Math.ceil((ratePerMinute * 5) / 3) };
}

/** @param addressesMax how many are remembered; the one that was longest not heard of is forgotten first. */
export function createAddressLimiter(
  { ratePerMinute, burst }: AddressLimit,
  { addressesMax = 10_000, now = monotonicMs }: { addressesMax?: number; now?: () => number } = {},
): AddressLimiter {
  const buckets = new Map<string, Bucket>();
  const perMinuteMax = Math.max(burst, ratePerMinute);

  /** The bucket as it is now. */
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
    look: (address) => decide(current(address)),
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

// Keeps forged notifications from being looked into for ever. Only those that came to nothing count, so that no proven
// one is lost however many a provider sends; a signature, a challenge or a secret token proves one, and an address that has proven one is forgiven ten times as many.

const futilePerMinute = 600;
const forgivenTimes = 10;
const provenAddressesMax = 1_000;
/**
 * Customers who share a carrier's address come back once each, and reload. Whoever has made an hour's worth of orders, of
 * 60 a minute, can come back 180 times a second uncounted, which is a tenth of one connection to the database.
 */
const returnsPerMinute = 3;

export interface NotificationGuard {
  /** @throws PaymentError RATE_LIMITED, before anything is read. */
  admit(address: string): void;
  /** It was somebody's who knows more than a stranger can. */
  proven(address: string): void;
  /** It came to nothing. */
  futile(address: string): void;
  /** A browser came back from a payment that exists: futile from when on it does so more often than a customer. */
  returned(address: string, paymentId: string): void;
}

export function createNotificationGuard(): NotificationGuard {
  const strangers = createAddressLimiter(perMinute(futilePerMinute));
  const providers = createAddressLimiter(perMinute(futilePerMinute * forgivenTimes));
  const returns = createAddressLimiter(perMinute(returnsPerMinute));
  const known = new Set<string>();
  const limiterOf = (block: string) => (known.has(block) ? providers : strangers);
  const futile = (address: string) => {
    const block = addressBlock(address);
    limiterOf(block).take(block);
  };
  return {
    admit(address) {
      const block = addressBlock(address);
      const decision = limiterOf(block).look(block);
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
