/**
 * Limits in the database, so that all API processes count together (specification, Limits: 60 per minute, burst up to
 * 100 per minute). Two things must hold of every call. A bucket of `burst` tokens that refills continuously, `rate` per
 * minute, has one left: that is the sustained rate, and a burst at once after a quiet time. And fewer than `burst` went
 * through in the last 60 s: a bucket alone lets burst and rate together through in the minute after it was full. Libraries
 * that keep their counters in SQL count in fixed windows, which lets twice the burst through around the turn of one.
 */
import type { Log } from '../domain/log';
import { repeat, type Repeating } from '../domain/repeat';
import type { Database } from '../store/database';

export interface Limit {
  /** Names what is counted, such as `stk:<merchant id>`: at most 120 ASCII characters. */
  bucket: string;
  /** Tokens that flow back per minute. */
  ratePerMinute: number;
  /** Tokens the bucket holds when full, and the most that any 60 s let through, unless the rate alone is more. */
  burst: number;
}

/** Of what writes a line of the audit log, which is for good, and is mailed: by all people or keys of one merchant. */
export const changesOfMerchant = { ratePerMinute: 1, burst: 30 };

export type RateLimitDecision = { allowed: true } | { allowed: false; retryAfterSeconds: number };

/** What is left of a limit, once a call has taken its token. */
export interface Quota {
  /** Calls that a minute lets through. */
  limit: number;
  /** Calls that would be let through at once. */
  remaining: number;
  /** Until so many are let through at once again as ever are, if none is made meanwhile. */
  resetSeconds: number;
}

export type TokenDecision = RateLimitDecision & { quota: Quota };

/** How far ahead of the database's clock a bucket may be before we take it that the clock was set back. */
const clockToleranceSeconds = 1;

/**
 * The last minute is counted in slots of a second: the one that runs and the 60 before it, so that the count never
 * covers less than 60 s. `recent` holds, for each of them, how much had been `spent` when it began, as a number of 10
 * digits: what went through since then is one subtraction, and time passes by dropping the oldest and repeating the newest.
 */
const slots = 61;
const digits = 10;
const epoch = "'2020-01-01'";
const slotOf = (moment: string) => `TIMESTAMPDIFF(SECOND, ${epoch}, ${moment})`;
const slotsPassed = (now: string) =>
  `LEAST(${slots}, GREATEST(0, ${slotOf(now)} - ${slotOf('refilled_at')}))`;
/** Read as it will be once `n` slots have passed. */
const markAfter = (n: string) =>
  `IF(recent = '' OR ${n} >= ${slots}, spent, CAST(SUBSTRING(recent, 1 + ${digits} * ${n}, ${digits}) AS SIGNED))`;
const passedInLastMinute = (now: string) => `spent - ${markAfter(slotsPassed(now))}`;
const marks = (count: string | number) => `REPEAT(LPAD(spent, ${digits}, '0'), ${count})`;
const rolled = (now: string) => `IF(recent = '', ${marks(slots)},
  CONCAT(SUBSTRING(recent, 1 + ${digits} * ${slotsPassed(now)}), ${marks(slotsPassed(now))}))`;

/** Elapsed time counts only forwards: a clock that was set back must not take tokens away. */
const available = (now: string) =>
  `LEAST(:burst, tokens + GREATEST(0, TIMESTAMPDIFF(MICROSECOND, refilled_at, ${now}) / 1e6) * :perSecond)`;

/** Ten times six seconds at ten a minute are 0.9999999 tokens to a computer. */
const wholeToken = 0.999999;

/** When the bucket is full and its minute over, in steps of ten minutes, so that its index is hardly ever written. */
const forgetAt = (
  from: string,
  tokens: string,
) => `TIMESTAMPADD(MINUTE, 10 + 10 * FLOOR(TIMESTAMPDIFF(MINUTE, ${epoch},
  ${from} + INTERVAL GREATEST(${slots}, CEIL((:burst - ${tokens}) / :perSecond)) SECOND) / 10), ${epoch})`;

/**
 * The moment at which it is evaluated, not at which the statement began: a statement that waited for the row's lock lets
 * its call through when it has the row, and must count it then.
 */
const clock = 'SYSDATE(6)';

/**
 * What is left is told with the answer to the UPDATE itself, as the id that a row was last given: no other statement reads
 * it. Whole tokens, and what went through in the last minute, both far below this.
 */
const told = 1_000_000;
const whatIsLeft = `LAST_INSERT_ID(FLOOR(tokens + 0.000001) * ${told} + spent - CAST(LEFT(recent, ${digits}) AS SIGNED))`;

/** SET runs from left to right: the time is read once, and `refilled_at` is the old one until its turn comes. */
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

const look = (now: string) => `
  SELECT ${available(now)} AS available, ${passedInLastMinute(now)} AS passed, spent, recent,
         ${slotsPassed(now)} AS slotsPassed, MICROSECOND(${now}) / 1e6 AS intoSlot,
         TIMESTAMPDIFF(MICROSECOND, ${now}, refilled_at) / 1e6 AS ahead
    FROM rate_limit_buckets WHERE bucket = :bucket`;

/** A clock that was set back would otherwise keep the bucket closed until it has caught up. */
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
 * @param now an SQL expression for the time, which tests set themselves.
 * @throws what the database throws; whether to let the call through then is the caller's decision.
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

  const [[row]] = (await db.raw(look(now), bindings)) as [Bucket[]];
  if (!row && (await changes(db, create(now), bindings)))
    return { allowed: true, quota: quotaOf(limit, { tokens: limit.burst - 1, passed: 1 }) };
  if (row && row.ahead > clockToleranceSeconds) await db.raw(resetClock(now), bindings);
  // Since the first try another call may have made the bucket, a token flowed back, or the clock was put right.
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
  /** Calls of the last minute. */
  passed: number;
}

/** @returns undefined where no token was there. */
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
  return { tokens: Math.floor(id / told), passed: id % told };
}

function quotaOf(limit: Limit, { tokens, passed }: Left): Quota {
  const { ratePerMinute, burst } = limit;
  const perMinuteMax = perMinuteMaxOf(limit);
  return {
    limit: perMinuteMax,
    remaining: Math.max(0, Math.min(Math.floor(tokens), perMinuteMax - passed)),
    // What went through is forgotten after a minute, and tokens flow back at their own pace.
    resetSeconds: Math.max(passed > 0 ? slots : 0, Math.ceil(((burst - tokens) * 60) / ratePerMinute)),
  };
}

/** A burst below the rate means "not so many at once", and takes nothing from what a minute lets through. */
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

/** Until so many slots are over that fewer than the maximum went through in those that remain. */
function secondsUntilPassed(row: Bucket, perMinuteMax: number): number {
  if (Number(row.passed) < perMinuteMax) return 0;
  const markAt = (slot: number) => Number(row.recent.slice(slot * digits, (slot + 1) * digits) || row.spent);
  const oldest = Number(row.slotsPassed);
  let slot = oldest;
  while (slot < slots && Number(row.spent) - markAt(slot) >= perMinuteMax) slot += 1;
  return slot - oldest - row.intoSlot;
}

/** Deleted at once, so that no lock is held for long. */
const forgottenAtOnce = 1_000;
const rounds = 20;

/** Deletes buckets that are full again: a new one would be the same. @returns how many. */
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

/** The API and the portal both fill buckets, and each forgets them: either may run alone. */
export function forgetBucketsRepeatedly(db: Database, log: Log): Repeating {
  return repeat(() => forgetFullBuckets(db), {
    ...{ everyMs: forgetEveryMs, log },
    otherwise: 'full buckets could not be forgotten',
  });
}
