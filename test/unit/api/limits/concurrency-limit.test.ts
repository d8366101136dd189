/** How long one more caller would wait, measured from the callers before it. */
import { createConcurrencyLimit, type ConcurrencyLimit } from '../../../../src/api/limits/shedding';

const visit = { bulkhead: 'stk', merchantId: 'm1' };

describe('the measurement of the expected wait', () => {
  let now = 0;
  let limit: ConcurrencyLimit;
  beforeEach(() => {
    now = 1_000_000;
    limit = createConcurrencyLimit(() => now);
  });

  /** Keeps `size` calls in progress; every `everyMs` the oldest ends and another starts. */
  function carries({ size, everyMs, leaving }: { size: number; everyMs: number; leaving: number }): void {
    const inside = Array.from({ length: size }, () => limit.enter(visit));
    for (let n = 0; n < leaving; n += 1) {
      now += everyMs;
      inside.shift()?.(0);
      inside.push(limit.enter(visit));
    }
    for (const leave of inside) {
      now += everyMs;
      leave(0);
    }
  }

  it('learns from the rate at which calls end while many are in progress', () => {
    carries({ size: 20, everyMs: 40, leaving: 200 });
    expect(limit.waitMs()).toBeCloseTo(40, 0);
    Array.from({ length: 9 }, () => limit.enter(visit));
    expect(limit.waitMs()).toBeCloseTo(400, -1);
  });

  it('learns nothing from few calls, which end as rarely as they start', () => {
    const before = limit.waitMs();
    carries({ size: 3, everyMs: 1_000, leaving: 100 });
    expect(limit.waitMs()).toBe(before);
  });

  it('counts rejected calls that made others wait', () => {
    const inside = Array.from({ length: 40 }, () => limit.enter(visit));
    for (let n = 0; n < 400; n += 1) {
      now += 10;
      // One of four is served.
      inside.shift()?.(n % 4 === 0 ? 0 : 'unknown');
      inside.push(limit.enter(visit));
    }
    expect(limit.waitMs() / (limit.size() + 1)).toBeCloseTo(10, 0);
  });

  it('learns no provider time from calls that were not served, and counts no call that gave up', () => {
    const hanging = Array.from({ length: 30 }, () => limit.enter({ ...visit, bulkhead: 'hangs' }));
    now += 20_000;
    Array.from({ length: 10 }, () => limit.enter(visit));
    const before = limit.waitMs();
    for (const leave of hanging) leave('unknown');
    limit.enter({ ...visit, bulkhead: 'hangs' });
    expect(limit.size()).toBe(11);
    expect(limit.waitMs()).toBeCloseTo((before / 11) * 12, 5);
  });

  it('learns nothing from calls whose work was not started, however fast they end', () => {
    carries({ size: 20, everyMs: 40, leaving: 200 });
    const before = limit.waitMs();
    Array.from({ length: 20 }, () => limit.enter(visit)).forEach((leave) => {
      leave();
    });
    expect(limit.waitMs()).toBe(before);
  });

  it('does not count idle time as slowness', () => {
    carries({ size: 20, everyMs: 10, leaving: 200 });
    now += 3_600_000;
    carries({ size: 20, everyMs: 10, leaving: 20 });
    expect(limit.waitMs()).toBeCloseTo(10, 0);
  });

  describe('after a burst in which one call was served', () => {
    let rest: ((elsewhereMs?: number) => void)[];
    beforeEach(() => {
      rest = Array.from({ length: 10 }, () => limit.enter(visit));
      now += 20;
      rest.shift()?.(0);
    });
    const another = (size: number) => {
      const next = Array.from({ length: size }, () => limit.enter(visit));
      now += 20;
      next.shift()?.(0);
      return limit.waitMs() / (limit.size() + 1);
    };

    it('does not count the quiet time after it, if all others were rejected', () => {
      for (const leave of rest) leave();
      now += 60_000;
      expect(another(10)).toBeLessThanOrEqual(25);
    });

    it('does not count it if the others hang', () => {
      now += 60_000;
      expect(another(8)).toBeLessThanOrEqual(25);
    });

    it('does not count it if they are rejected after the next calls arrive', () => {
      now += 60_000;
      const next = Array.from({ length: 8 }, () => limit.enter(visit));
      for (const leave of rest) leave();
      now += 20;
      next.shift()?.(0);
      expect(limit.waitMs() / (limit.size() + 1)).toBeLessThanOrEqual(25);
    });
  });

  it('counts calls of a slow provider by their share of our own time', () => {
    for (let n = 0; n < 50; n += 1) {
      const leave = limit.enter({ ...visit, bulkhead: 'slow' });
      now += 1_000;
      leave(900);
    }
    Array.from({ length: 30 }, () => limit.enter({ ...visit, bulkhead: 'slow' }));
    expect(limit.size()).toBeCloseTo(3);
    limit.enter(visit);
    expect(limit.size()).toBeCloseTo(4);
  });

  it('no longer counts calls that are in progress longer than our own work takes', () => {
    Array.from({ length: 30 }, () => limit.enter({ ...visit, bulkhead: 'hangs' }));
    expect(limit.size()).toBe(30);
    now += 2_500;
    expect(limit.size()).toBe(0);
  });

  it('counts the end of a call only once', () => {
    const leave = limit.enter(visit);
    limit.enter(visit);
    leave(0);
    leave(0);
    expect(limit.size()).toBe(1);
  });

  it('reports the calls of a merchant, and the number of merchants', () => {
    limit.enter(visit);
    limit.enter(visit);
    limit.enter({ ...visit, merchantId: 'm2' });
    expect(limit.shares('m1')).toEqual({ merchants: 2, own: 2 });
    expect(limit.shares('m3')).toEqual({ merchants: 3, own: 0 });
    now += 2_500;
    limit.enter(visit);
    expect(limit.shares('m1')).toEqual({ merchants: 1, own: 1 });
  });
});
