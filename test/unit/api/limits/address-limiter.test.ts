import fc from 'fast-check';
import { createAddressLimiter, perMinute } from '../../../../src/api/limits/unauthenticated';

const within = (moments: number[], from: number, until: number): number =>
  moments.filter((at) => at > from && at <= until).length;

describe('a limit by address, in memory', () => {
  it('admits the burst at once, never more in any minute, and its sustained rate', () => {
    let at = 0;
    const limiter = createAddressLimiter(perMinute(60), { now: () => at });
    const allowed: number[] = [];
    for (; at < 600_000; at += 200) if (limiter.take('a').allowed) allowed.push(at);
    expect(Math.max(...allowed.map((moment) => within(allowed, moment - 60_000, moment)))).toBe(100);
    expect(allowed.length).toBeGreaterThanOrEqual(600);
    expect(allowed.length).toBeLessThanOrEqual(700);
  });

  it('reports the correct retry time, and a look counts nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 200 }), (pauses) => {
        let at = 0;
        const limiter = createAddressLimiter({ ratePerMinute: 10, burst: 15 }, { now: () => at });
        for (const pause of pauses) {
          at += pause;
          expect(limiter.check('a')).toEqual(limiter.check('a'));
          const decision = limiter.take('a');
          if (decision.allowed) continue;
          at += decision.retryAfterSeconds * 1_000;
          expect(limiter.take('a').allowed).toBe(true);
        }
      }),
    );
  });

  it('forgets within a minute, even if the clock is set back by an hour', () => {
    const limiter = createAddressLimiter({ ratePerMinute: 1, burst: 1 });
    expect(limiter.take('a').allowed).toBe(true);
    const before = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(before - 3_600_000);
    try {
      const { retryAfterSeconds } = limiter.take('a') as { retryAfterSeconds: number };
      expect(retryAfterSeconds).toBeLessThanOrEqual(60);
    } finally {
      jest.restoreAllMocks();
    }
  });

  it('counts each address separately', () => {
    const limiter = createAddressLimiter({ ratePerMinute: 1, burst: 2 }, { now: () => 0 });
    const taken = ['a', 'a', 'a', 'b'].map((address) => limiter.take(address).allowed);
    expect(taken).toEqual([true, true, false, true]);
  });

  it('forgets the least recently used address instead of growing', () => {
    const limiter = createAddressLimiter({ ratePerMinute: 1, burst: 1 }, { addressesMax: 2, now: () => 0 });
    for (const address of ['a', 'b', 'a', 'c']) limiter.take(address);
    expect(['a', 'b', 'c'].map((address) => limiter.check(address).allowed)).toEqual([false, true, false]);
  });
});
