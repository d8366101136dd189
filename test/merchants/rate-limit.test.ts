import { takeToken, type RateLimitDecision } from '../../src/merchants/rate-limit';
import { openDatabase } from '../../src/store/database';
import { createTestDatabase, type TestDatabase } from '../support/services';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

/** Refills so slowly that a test never sees it. */
const still = { ratePerMinute: 0.001, burst: 100 };

async function timesAllowed(calls: number, limit: Parameters<typeof takeToken>[1]): Promise<number> {
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
  it('is one for all API processes', async () => {
    const other = openDatabase(test.url);
    const limit = { bucket: 'shared', ...still };
    const calls = Array.from({ length: 200 }, (_, i) => takeToken(i % 2 === 0 ? test.db : other, limit));
    const decisions = await Promise.all(calls);
    await other.destroy();
    expect(decisions.filter((decision) => decision.allowed)).toHaveLength(100);
  });

  it('lets exactly 100 of 200 calls at once through', async () => {
    expect(await timesAllowed(200, { bucket: 'race', ...still })).toBe(100);
    expect(await timesAllowed(20, { bucket: 'race', ...still })).toBe(0);
  });

  it('counts each bucket on its own', async () => {
    expect(await timesAllowed(12, { bucket: 'stk:a', ...still, burst: 10 })).toBe(10);
    expect(await timesAllowed(12, { bucket: 'stk:b', ...still, burst: 10 })).toBe(10);
  });
});

describe('refilling', () => {
  it('gives back one token per second at 60 per minute', async () => {
    const limit = { bucket: 'refill', ratePerMinute: 60, burst: 100 };
    await timesAllowed(100, limit);
    await test.db('rate_limit_buckets').where({ bucket: 'refill' }).update({ tokens: 0.5 });
    await letPass('refill', 30);
    const allowed = await timesAllowed(60, limit);
    expect(allowed).toBeGreaterThanOrEqual(30);
    expect(allowed).toBeLessThanOrEqual(32);
  });

  it('never fills above the burst', async () => {
    const limit = { bucket: 'full', ...still, burst: 5 };
    await takeToken(test.db, limit);
    await letPass('full', 1_000_000);
    expect(await timesAllowed(10, limit)).toBe(5);
  });

  it('follows a limit that was lowered', async () => {
    await takeToken(test.db, { bucket: 'lowered', ...still });
    expect(await timesAllowed(10, { bucket: 'lowered', ...still, burst: 3 })).toBe(3);
  });
});

describe('429', () => {
  it('says when the next token is there', async () => {
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
    expect(await takeToken(test.db, limit)).toEqual({ allowed: true });
  });

  it('does not push the next token further away', async () => {
    const limit = { bucket: 'patient', ratePerMinute: 6, burst: 1 };
    await takeToken(test.db, limit);
    await letPass('patient', 9);
    for (let i = 0; i < 20; i += 1) await takeToken(test.db, limit);
    await letPass('patient', 1);
    expect(await takeToken(test.db, limit)).toEqual({ allowed: true });
  });

  it('does not last until a clock that was set back has caught up', async () => {
    const limit = { bucket: 'clock', ...still, burst: 2 };
    await takeToken(test.db, limit);
    await letPass('clock', -3600);
    expect(await timesAllowed(5, limit)).toBe(1);
    const [[row]] = (await test.db.raw(
      "SELECT refilled_at <= UTC_TIMESTAMP(6) AS is_past FROM rate_limit_buckets WHERE bucket = 'clock'",
    )) as [{ is_past: number }[]];
    expect(row?.is_past).toBe(1);
  });
});

describe('the cost', () => {
  it('is one round trip when a call is allowed and two when it is not', async () => {
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
