/**
 * Limits by address, in the memory of one process: what a stranger does must not cost a write to the database each time.
 * Each API process counts for itself, so that all together let through at most their number times the limit.
 */
import type { RateLimitDecision } from '../../merchants/rate-limit';

export interface AddressLimit {
  /** Sustained; up to `burst` at once after a quiet time, and never more in any 60 s. */
  ratePerMinute: number;
  burst: number;
}

export interface AddressLimiter {
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
