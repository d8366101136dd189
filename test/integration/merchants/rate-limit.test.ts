import fc from 'fast-check';
import {
  forgetFullBuckets,
  takeToken,
  type Limit,
  type RateLimitDecision,
} from '../../../src/merchants/rate-limit';
import { openDatabase } from '../../../src/store/database';
import { createTestDatabase, type TestDatabase } from '../../support/database';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

/** Refills too slowly for a test to notice. */
const still = { ratePerMinute: 0.001, burst: 100 };

async function timesAllowed(calls: number, limit: Limit): Promise<number> {
  const decisions = await Promise.all(Array.from({ length: calls }, () => takeToken(test.db, limit)));
  return decisions.filter((decision) => decision.allowed).length;
}

function secondsToWait(decision: RateLimitDecision): number {
  return decision.allowed ? 0 : decision.retryAfterSeconds;
}

async function letPass(bucket: string, seconds: number): Promise<void> {
  await test
    .db('rate_limit_buckets')
    .where({ bucket })
    .update({ refilled_at: test.db.raw('refilled_at - INTERVAL ? SECOND', [seconds]) });
}

describe('a burst', () => {
  it('is shared by all API processes', async () => {
    const other = openDatabase(test.url);
    const limit = { bucket: 'shared', ...still };
    const calls = Array.from({ length: 200 }, (_, i) => takeToken(i % 2 === 0 ? test.db : other, limit));
    const decisions = await Promise.all(calls);
    await other.destroy();
    expect(decisions.filter((decision) => decision.allowed)).toHaveLength(100);
  });

  it('admits exactly 100 of 200 concurrent calls', async () => {
    expect(await timesAllowed(200, { bucket: 'race', ...still })).toBe(100);
    expect(await timesAllowed(20, { bucket: 'race', ...still })).toBe(0);
  });

  it('counts each bucket separately', async () => {
    expect(await timesAllowed(12, { bucket: 'stk:a', ...still, burst: 10 })).toBe(10);
    expect(await timesAllowed(12, { bucket: 'stk:b', ...still, burst: 10 })).toBe(10);
  });
});

describe('refilling', () => {
  it('adds one token per second at 60 per minute', async () => {
    const limit = { bucket: 'refill', ratePerMinute: 60, burst: 100 };
    await timesAllowed(100, limit);
    await test.db('rate_limit_buckets').where({ bucket: 'refill' }).update({ tokens: 0.5 });
    await letPass('refill', 62);
    const allowed = await timesAllowed(90, limit);
    expect(allowed).toBeGreaterThanOrEqual(62);
    expect(allowed).toBeLessThanOrEqual(64);
  });

  it('never fills above the burst', async () => {
    const limit = { bucket: 'full', ...still, burst: 5 };
    await takeToken(test.db, limit);
    await letPass('full', 1_000_000);
    expect(await timesAllowed(10, limit)).toBe(5);
  });

  it('follows a lowered limit', async () => {
    await takeToken(test.db, { bucket: 'lowered', ...still });
    // The calls of the last minute count.
    expect(await timesAllowed(10, { bucket: 'lowered', ...still, burst: 3 })).toBe(2);
  });
});

/** A time set by the test, as an SQL expression. */
const momentAt = (seconds: number): string =>
  `(TIMESTAMP'2026-01-01 00:00:00.000000' + INTERVAL ${Math.round(seconds * 1e6)} MICROSECOND)`;

let buckets = 0;
/** Calls one after the other, each at its own time. */
function callsOf(limit: Omit<Limit, 'bucket'>): (at: number) => Promise<RateLimitDecision> {
  buckets += 1;
  const bucket = `calls-${buckets}`;
  return (at) => takeToken(test.db, { bucket, ...limit }, momentAt(at));
}

const within = (moments: number[], from: number, until: number): number =>
  moments.filter((at) => at > from && at <= until).length;

describe('60 per minute, burst up to 100 per minute', () => {
  const limit = { ratePerMinute: 60, burst: 100 };

  async function allowedOf(moments: Iterable<number>, calls = callsOf(limit)): Promise<number[]> {
    const allowed: number[] = [];
    for (const at of moments) if ((await calls(at)).allowed) allowed.push(at);
    return allowed;
  }
  const everyHalfSecond = (from: number, until: number) =>
    Array.from({ length: (until - from) * 2 }, (_, n) => from + n / 2);

  it('admits 100 at once after a quiet time, and none in the minute after them', async () => {
    const calls = callsOf(limit);
    expect(
      await allowedOf(
        Array.from({ length: 110 }, () => 0.7),
        calls,
      ),
    ).toHaveLength(100);
    expect(await allowedOf(everyHalfSecond(1, 60), calls)).toEqual([]);
    // After the first minute, only the refilled tokens are available.
    expect(
      await allowedOf(
        Array.from({ length: 80 }, () => 61.7),
        calls,
      ),
    ).toHaveLength(61);
  });

  it('admits 60 a minute permanently', async () => {
    const allowed = await allowedOf(everyHalfSecond(0, 300));
    expect(Math.max(...allowed.map((at) => within(allowed, at - 60, at)))).toBeLessThanOrEqual(100);
    // The full bucket at the start is used only once.
    expect(allowed.length).toBeGreaterThanOrEqual(5 * 60);
    expect(allowed.length).toBeLessThanOrEqual(5 * 60 + 100);
  });

  it('always admits a caller of exactly 60 a minute', async () => {
    expect(await allowedOf(Array.from({ length: 150 }, (_, n) => n))).toHaveLength(150);
  });

  it('matches a model that remembers every call, for calls at any times', async () => {
    // In steps of a tenth of a second: mostly close together, sometimes far apart.
    const pauses = fc.array(
      fc.oneof(
        { weight: 8, arbitrary: fc.constant(0) },
        { weight: 4, arbitrary: fc.integer({ min: 1, max: 20 }) },
        { weight: 1, arbitrary: fc.integer({ min: 20, max: 900 }) },
      ),
      { minLength: 40, maxLength: 120 },
    );
    const limits = fc.record({
      ratePerMinute: fc.integer({ min: 1, max: 30 }),
      burst: fc.integer({ min: 1, max: 40 }),
    });
    await fc.assert(
      fc.asyncProperty(limits, pauses, async (chosen, steps) => {
        const calls = callsOf(chosen);
        const allowed: number[] = [];
        const perMinuteMax = Math.max(chosen.ratePerMinute, chosen.burst);
        let [tokens, refilledAt, tenths] = [chosen.burst, 0, 0];
        for (const step of steps) {
          tenths += step;
          const at = tenths / 10;
          const decision = await calls(at);
          const refilled = Math.min(chosen.burst, tokens + ((at - refilledAt) * chosen.ratePerMinute) / 60);
          const inMinute = within(allowed, at - 60, at);
          if (decision.allowed) {
            expect(refilled).toBeGreaterThan(1 - 1e-4);
            expect(inMinute).toBeLessThan(perMinuteMax);
            allowed.push(at);
            [tokens, refilledAt] = [refilled - 1, at];
          } else {
            // Never too few: the count has whole seconds, so it may cover one second more than a minute.
            const couldHave = refilled >= 1 + 1e-4 && within(allowed, at - 61, at) < perMinuteMax;
            expect([at, couldHave]).toEqual([at, false]);
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  it('reports the correct retry time', async () => {
    const waits = fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 20, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(waits, async (steps) => {
        const calls = callsOf({ ratePerMinute: 10, burst: 15 });
        let at = 0;
        for (const step of steps) {
          at += step / 10;
          const decision = await calls(at);
          if (decision.allowed) continue;
          at += decision.retryAfterSeconds;
          expect([at, (await calls(at)).allowed]).toEqual([at, true]);
        }
      }),
      { numRuns: 25 },
    );
  });

  it('counts a waiting call at its admission, not at its start', async () => {
    const held = { bucket: 'held', ratePerMinute: 60, burst: 2 };
    await takeToken(test.db, held);
    let waiting: Promise<RateLimitDecision> | undefined;
    let released = 0;
    await test.db.transaction(async (trx) => {
      await trx('rate_limit_buckets').where({ bucket: 'held' }).forUpdate().first();
      waiting = takeToken(test.db, held);
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      // Before the commit: the waiting call is admitted long before this answer arrives.
      released = Date.now();
    });
    expect(await waiting).toMatchObject({ allowed: true });
    const [[row]] = (await test.db.raw(
      "SELECT UNIX_TIMESTAMP(refilled_at) * 1000 AS at FROM rate_limit_buckets WHERE bucket = 'held'",
    )) as [{ at: string }[]];
    expect(Number(row?.at)).toBeGreaterThan(released - 200);
  });
});

describe('429', () => {
  it('reports when the next token is available', async () => {
    const limit = { bucket: 'wait', ratePerMinute: 0.6, burst: 1 };
    await takeToken(test.db, limit);
    const first = await takeToken(test.db, limit);
    await letPass('wait', 60);
    const second = await takeToken(test.db, limit);
    // A token takes 100 s; the test itself takes a moment of them.
    expect(secondsToWait(first)).toBeGreaterThan(95);
    expect(secondsToWait(first)).toBeLessThanOrEqual(100);
    expect(secondsToWait(second)).toBeGreaterThan(35);
    expect(secondsToWait(second)).toBeLessThanOrEqual(40);
    await letPass('wait', 40);
    expect(await takeToken(test.db, limit)).toMatchObject({ allowed: true });
  });

  it('does not delay the next token', async () => {
    const limit = { bucket: 'patient', ratePerMinute: 6, burst: 1 };
    await takeToken(test.db, limit);
    await letPass('patient', 9);
    for (let i = 0; i < 20; i += 1) await takeToken(test.db, limit);
    await letPass('patient', 1);
    expect(await takeToken(test.db, limit)).toMatchObject({ allowed: true });
  });

  it('ends before a clock that was set back has caught up', async () => {
    const limit = { bucket: 'clock', ...still, burst: 2 };
    await takeToken(test.db, limit);
    await letPass('clock', -3600);
    expect(await timesAllowed(5, limit)).toBe(1);
    const [[row]] = (await test.db.raw(
      "SELECT refilled_at <= UTC_TIMESTAMP(6) AS is_past FROM rate_limit_buckets WHERE bucket = 'clock'",
    )) as [{ is_past: number | string }[]];
    expect(Number(row?.is_past)).toBe(1);
  });
});

describe('the cost', () => {
  it('is one round trip for an allowed call and two for a rejected one', async () => {
    const limit = { bucket: 'cost', ...still, burst: 2 };
    let queries = 0;
    test.db.on('query', () => (queries += 1));
    const costs: number[] = [];
    for (let i = 0; i < 3; i += 1) {
      queries = 0;
      await takeToken(test.db, limit);
      costs.push(queries);
    }
    expect(costs).toEqual([3, 1, 2]);
  });
});

describe('a full bucket', () => {
  const rowOf = (bucket: string) => test.db('rate_limit_buckets').where({ bucket }).first();
  const later = (bucket: string, seconds: number) =>
    test
      .db('rate_limit_buckets')
      .where({ bucket })
      .update({ forget_at: test.db.raw('forget_at - INTERVAL ? SECOND', [seconds]) });

  it('is deleted, and one that is not full stays', async () => {
    await takeToken(test.db, { bucket: 'quick', ratePerMinute: 60, burst: 100 });
    await takeToken(test.db, { bucket: 'slow', ratePerMinute: 1, burst: 100 });
    for (let n = 0; n < 50; n += 1)
      await takeToken(test.db, { bucket: 'slow', ratePerMinute: 1, burst: 100 });
    // Half an hour later the first is full; the 51 tokens of the second take 51 minutes.
    for (const bucket of ['quick', 'slow']) await later(bucket, 30 * 60);
    expect(await forgetFullBuckets(test.db)).toBeGreaterThanOrEqual(1);
    expect(await rowOf('quick')).toBeUndefined();
    expect(await rowOf('slow')).toBeDefined();
  });

  it('is found by an index, however many there are', async () => {
    const [plan] = (await test.db.raw(
      'EXPLAIN FORMAT=TRADITIONAL DELETE FROM rate_limit_buckets WHERE forget_at < UTC_TIMESTAMP() LIMIT 1000',
    )) as [{ possible_keys: string | null }[]];
    expect(plan[0]?.possible_keys).toBe('forgotten');
  });
});
