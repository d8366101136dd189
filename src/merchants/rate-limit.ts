/**
 * Limits in the database, so that all API processes count together (specification, Limits: 60 per minute, burst up to
 * 100 per minute). A call must meet two conditions. A bucket of `burst` tokens that refills continuously, `rate` per
 * minute, has a token: this allows the sustained rate, and a burst after a quiet time. And fewer than `burst` calls
 * passed in the last 60 s: with the bucket alone, burst and rate together would pass in the minute after it was full.
 * Libraries with counters in SQL use fixed windows, which allow twice the burst around the change of a window.
 */
import type { Log } from '../domain/log';
import { repeat, type Repeating } from '../domain/repeat';
import type { Database } from '../store/database';

export interface Limit {
  /** The name of the counter, such as `stk:<merchant id>`: at most 120 ASCII characters. */
  bucket: string;
  /** Tokens added per minute. */
  ratePerMinute: number;
  /** The tokens in a full bucket, and the most calls in any 60 s, unless the rate alone is higher. */
  burst: number;
}

/** For changes that write a permanent audit line and send mails: over all users and keys of one merchant. */
export const changesOfMerchant = { ratePerMinute: 1, burst: 30 };

export type RateLimitDecision = { allowed: true } | { allowed: false; retryAfterSeconds: number };

/** The remaining quota after a call has taken its token. */
export interface Quota {
  /** Calls per minute. */
  limit: number;
  /** Calls that are still allowed at once. */
  remaining: number;
  /** Seconds until the full burst is allowed again, if no call is made meanwhile. */
  resetSeconds: number;
}

export type TokenDecision = RateLimitDecision & { quota: Quota };

/** A bucket further ahead of the database's clock than this means that the clock was set back. */
const clockToleranceSeconds = 1;

/**
 * The last minute is counted in slots of a second: the current one and the 60 before it, so that the count never covers
 * less than 60 s. For each slot, `recent` holds the value of `spent` at its start, as a number of 10 digits. The calls
 * since then are one subtraction. As time passes, the oldest slot is dropped and the newest is repeated.
 */
const slots = 61;
const digits = 10;
const epoch = "'2020-01-01'";
const slotOf = (moment: string) => `TIMESTAMPDIFF(SECOND, ${epoch}, ${moment})`;
const slotsPassed = (now: string) =>
  `LEAST(${slots}, GREATEST(0, ${slotOf(now)} - ${slotOf('refilled_at')}))`;
/** The value after `n` slots have passed. */
const markAfter = (n: string) =>
  `IF(recent = '' OR ${n} >= ${slots}, spent, CAST(SUBSTRING(recent, 1 + ${digits} * ${n}, ${digits}) AS SIGNED))`;
const passedInLastMinute = (now: string) => `spent - ${markAfter(slotsPassed(now))}`;
const marks = (count: string | number) => `REPEAT(LPAD(spent, ${digits}, '0'), ${count})`;
const rolled = (now: string) => `IF(recent = '', ${marks(slots)},
  CONCAT(SUBSTRING(recent, 1 + ${digits} * ${slotsPassed(now)}), ${marks(slotsPassed(now))}))`;

/** Elapsed time is never negative: a clock that was set back must not take tokens away. */
const available = (now: string) =>
  `LEAST(:burst, tokens + GREATEST(0, TIMESTAMPDIFF(MICROSECOND, refilled_at, ${now}) / 1e6) * :perSecond)`;

/** Ten times six seconds at ten a minute are 0.9999999 tokens in floating point. */
const wholeToken = 0.999999;

/** When the bucket is full and its minute over, in steps of ten minutes, so that its index is rarely written. */
const forgetAt = (
  from: string,
  tokens: string,
) => `TIMESTAMPADD(MINUTE, 10 + 10 * FLOOR(TIMESTAMPDIFF(MINUTE, ${epoch},
  ${from} + INTERVAL GREATEST(${slots}, CEIL((:burst - ${tokens}) / :perSecond)) SECOND) / 10), ${epoch})`;

/**
 * The time of evaluation, not of the statement's start. A statement that waited for the row's lock admits its call when
 * it gets the row, and must count it then.
 */
const clock = 'SYSDATE(6)';

/**
 * The UPDATE itself returns the remaining quota, as the last insert id of the connection. No other statement reads it.
 * The whole tokens and the calls of the last minute are both far below this.
 */
const base = 1_000_000;
const whatIsLeft = `LAST_INSERT_ID(FLOOR(tokens + 0.000001) * ${base} + spent - CAST(LEFT(recent, ${digits}) AS SIGNED))`;

/** SET runs from left to right: the time is read once, and `refilled_at` keeps its old value until its assignment. */
const take = (now: string) => `
  UPDATE rate_limit_buckets
     SET taken_at = GREATEST(refilled_at, ${now}),
         tokens = ${available('taken_at')} - 1,
         recent = ${rolled('taken_at')},
         spent = spent + 1,
         forget_at = ${forgetAt('taken_at', 'tokens')},
         refilled_at = IF(${whatIsLeft} IS NULL, NULL, taken_at)
   WHERE bucket = :bucket AND ${available(now)} >= ${wholeToken} AND ${passedInLastMinute(now)} < :perMinuteMax`;

const create = (now: string) => `
  INSERT IGNORE INTO rate_limit_buckets (bucket, tokens, spent, recent, refilled_at, forget_at)
  VALUES (:bucket, :burst - 1, 1, REPEAT('0', ${slots * digits}), ${now}, ${forgetAt(now, '0')})`;

const peekSql = (now: string) => `
  SELECT ${available(now)} AS available, ${passedInLastMinute(now)} AS passed, spent, recent,
         ${slotsPassed(now)} AS slotsPassed, MICROSECOND(${now}) / 1e6 AS intoSlot,
         TIMESTAMPDIFF(MICROSECOND, ${now}, refilled_at) / 1e6 AS ahead
    FROM rate_limit_buckets WHERE bucket = :bucket`;

/** Otherwise, a clock that was set back would block the bucket until it has caught up. */
const resetClock = (now: string) => `
  UPDATE rate_limit_buckets SET refilled_at = ${now}
   WHERE bucket = :bucket AND refilled_at > ${now} + INTERVAL ${clockToleranceSeconds} SECOND`;

interface Bucket {
  available: number;
  /** Whole numbers come from the driver as texts. */
  passed: string;
  spent: string;
  recent: string;
  slotsPassed: string;
  intoSlot: number;
  ahead: number;
}

/**
 * Takes one token. One round trip when the call is allowed, two when it is not, three for a merchant's first call.
 * @param now an SQL expression for the time, which tests set.
 * @throws database errors; the caller decides whether to admit the call then.
 */
export async function takeToken(db: Database, limit: Limit, now = clock): Promise<TokenDecision> {
  const bindings = {
    bucket: limit.bucket,
    burst: limit.burst,
    perSecond: limit.ratePerMinute / 60,
    perMinuteMax: perMinuteMaxOf(limit),
  };
  const taken = await takenFrom(db, take(now), bindings);
  if (taken) return { allowed: true, quota: quotaOf(limit, taken) };

  const [[row]] = (await db.raw(peekSql(now), bindings)) as [Bucket[]];
  if (!row && (await changes(db, create(now), bindings)))
    return { allowed: true, quota: quotaOf(limit, { tokens: limit.burst - 1, passed: 1 }) };
  if (row && row.ahead > clockToleranceSeconds) await db.raw(resetClock(now), bindings);
  // Since the first attempt, another call may have created the bucket, a token was added, or the clock was corrected.
  const isWorthAnotherTry = !row || secondsToWait(row, limit) === 0 || row.ahead > clockToleranceSeconds;
  const late = isWorthAnotherTry ? await takenFrom(db, take(now), bindings) : undefined;
  if (late) return { allowed: true, quota: quotaOf(limit, late) };
  return {
    allowed: false,
    retryAfterSeconds: Math.max(1, Math.ceil(row ? secondsToWait(row, limit) : 1)),
    quota: {
      ...quotaOf(limit, { tokens: row?.available ?? 0, passed: Number(row?.passed ?? 0) }),
      remaining: 0,
    },
  };
}

interface Left {
  tokens: number;
  /** The calls of the last minute. */
  passed: number;
}

/** @returns undefined without a token. */
async function takenFrom(
  db: Database,
  sql: string,
  bindings: Record<string, string | number>,
): Promise<Left | undefined> {
  const [{ affectedRows, insertId }] = (await db.raw(sql, bindings)) as [
    { affectedRows: number; insertId: number | string },
  ];
  if (affectedRows !== 1) return undefined;
  const id = Number(insertId);
  return { tokens: Math.floor(id / base), passed: id % base };
}

function quotaOf(limit: Limit, { tokens, passed }: Left): Quota {
  const { ratePerMinute, burst } = limit;
  const perMinuteMax = perMinuteMaxOf(limit);
  return {
    limit: perMinuteMax,
    remaining: Math.max(0, Math.min(Math.floor(tokens), perMinuteMax - passed)),
    // Calls are forgotten after a minute, and tokens refill at their own rate.
    resetSeconds: Math.max(passed > 0 ? slots : 0, Math.ceil(((burst - tokens) * 60) / ratePerMinute)),
  };
}

/** A burst below the rate limits concurrent calls, and does not lower the calls per minute. */
function perMinuteMaxOf({ ratePerMinute, burst }: Limit): number {
  return Math.max(burst, ratePerMinute);
}

async function changes(
  db: Database,
  sql: string,
  bindings: Record<string, string | number>,
): Promise<boolean> {
  const [result] = (await db.raw(sql, bindings)) as [{ affectedRows: number }];
  return result.affectedRows === 1;
}

function secondsToWait(row: Bucket, limit: Limit): number {
  const untilToken = Math.max(0, ((1 - row.available) * 60) / limit.ratePerMinute);
  return Math.max(untilToken, secondsUntilPassed(row, perMinuteMaxOf(limit)));
}

/** Seconds until fewer calls than the maximum remain in the counted slots. */
function secondsUntilPassed(row: Bucket, perMinuteMax: number): number {
  if (Number(row.passed) < perMinuteMax) return 0;
  const markAt = (slot: number) => Number(row.recent.slice(slot * digits, (slot + 1) * digits) || row.spent);
  const oldest = Number(row.slotsPassed);
  let slot = oldest;
  while (slot < slots && Number(row.spent) - markAt(slot) >= perMinuteMax) slot += 1;
  return slot - oldest - row.intoSlot;
}

/** Deleted in one statement; limited, so that no lock is held for long. */
const forgottenAtOnce = 1_000;
const rounds = 20;

/** Deletes full buckets: a new one would be the same. @returns how many. */
export async function forgetFullBuckets(db: Database): Promise<number> {
  let total = 0;
  for (let round = 0; round < rounds; round += 1) {
    const sql = `DELETE FROM rate_limit_buckets WHERE forget_at < UTC_TIMESTAMP() LIMIT ${forgottenAtOnce}`;
    const [{ affectedRows }] = (await db.raw(sql)) as [{ affectedRows: number }];
    total += affectedRows;
    if (affectedRows < forgottenAtOnce) break;
  }
  return total;
}

const forgetEveryMs = 60_000;

/** The API and the portal both fill buckets, and each deletes full ones: either may run alone. */
export function forgetBucketsRepeatedly(db: Database, log: Log): Repeating {
  return repeat(() => forgetFullBuckets(db), {
    ...{ everyMs: forgetEveryMs, log },
    otherwise: 'full rate-limit buckets could not be deleted',
  });
}
