/**
 * Token buckets in the database, so that all API processes count together. A bucket holds `burst` tokens and refills
 * continuously, `rate` per minute (specification, Limits: 60 per minute, burst up to 100). Libraries that keep their
 * counters in SQL count in fixed windows, which lets twice the burst through around the turn of a window.
 */
import type { Database } from '../store/database';

export interface Limit {
  /** Names what is counted, such as `stk:<merchant id>`: at most 120 ASCII characters. */
  bucket: string;
  /** Tokens that flow back per minute. */
  ratePerMinute: number;
  /** Tokens the bucket holds when full. */
  burst: number;
}

export type RateLimitDecision = { allowed: true } | { allowed: false; retryAfterSeconds: number };

/** How far ahead of the database's clock a bucket may be before we take it that the clock was set back. */
const clockToleranceSeconds = 1;

/**
 * Elapsed time counts only forwards: a statement that waited for the row's lock has an older time than the one that
 * wrote it, and must not take tokens away. With that, `burst` calls at once get exactly `burst` tokens.
 */
const secondsSinceRefill = 'GREATEST(0, TIMESTAMPDIFF(MICROSECOND, refilled_at, UTC_TIMESTAMP(6)) / 1e6)';
const available = `LEAST(:burst, tokens + ${secondsSinceRefill} * :perSecond)`;

/** SET runs from left to right, so that `tokens` is computed from the old `refilled_at`. */
const take = `
  UPDATE rate_limit_buckets
     SET tokens = ${available} - 1, refilled_at = GREATEST(refilled_at, UTC_TIMESTAMP(6))
   WHERE bucket = :bucket AND ${available} >= 1`;

const create = `
  INSERT IGNORE INTO rate_limit_buckets (bucket, tokens, refilled_at)
  VALUES (:bucket, :burst - 1, UTC_TIMESTAMP(6))`;

const look = `
  SELECT ${available} AS available, TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), refilled_at) / 1e6 AS ahead
    FROM rate_limit_buckets WHERE bucket = :bucket`;

/** A clock that was set back would otherwise keep the bucket closed until it has caught up. */
const resetClock = `
  UPDATE rate_limit_buckets SET refilled_at = UTC_TIMESTAMP(6)
   WHERE bucket = :bucket AND refilled_at > UTC_TIMESTAMP(6) + INTERVAL ${String(clockToleranceSeconds)} SECOND`;

/**
 * Takes one token. One round trip when the call is allowed, two when it is not, three for a merchant's first call.
 * @throws what the database throws; whether to let the call through then is the caller's decision.
 */
export async function takeToken(db: Database, limit: Limit): Promise<RateLimitDecision> {
  const bindings = { bucket: limit.bucket, burst: limit.burst, perSecond: limit.ratePerMinute / 60 };
  if (await changes(db, take, bindings)) return { allowed: true };

  const [[row]] = (await db.raw(look, bindings)) as [{ available: number; ahead: number }[]];
  if (!row && (await changes(db, create, bindings))) return { allowed: true };
  if (row && row.ahead > clockToleranceSeconds) await db.raw(resetClock, bindings);
  // Since the first try another call may have made the bucket, a token flowed back, or the clock was put right.
  const isWorthAnotherTry = !row || row.available >= 1 || row.ahead > clockToleranceSeconds;
  if (isWorthAnotherTry && (await changes(db, take, bindings))) return { allowed: true };
  return refused(row?.available ?? 0, bindings.perSecond);
}

async function changes(
  db: Database,
  sql: string,
  bindings: Record<string, string | number>,
): Promise<boolean> {
  const [result] = (await db.raw(sql, bindings)) as [{ affectedRows: number }];
  return result.affectedRows === 1;
}

function refused(availableTokens: number, perSecond: number): RateLimitDecision {
  return { allowed: false, retryAfterSeconds: Math.max(1, Math.ceil((1 - availableTokens) / perSecond)) };
}
