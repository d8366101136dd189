/** Who is let in by how long they would wait. */
import { createShedding, strangersShare } from '../../../../src/api/limits/shedding';

describe('with more callers than can be carried', () => {
  const everyMs = 50;
  let now = 0;
  let shedding = sheddingAt();
  function sheddingAt(backlogMaxMs = 2_000) {
    return createShedding({
      acceptancesMax: 1_000,
      backlogMaxMs,
      backlogAgeMs: () => Promise.resolve(0),
      now: () => now,
    });
  }
  type Place = ReturnType<typeof shedding.knock>;
  const leave = (place: Place | undefined, elsewhereMs = 0) => {
    if (place?.admitted) place.leave(elsewhereMs);
  };
  /** One leaves every so often, for long enough to know it, with as many inside as are let in. */
  function carry(callsAtOnce: number, leavesEveryMs = everyMs): { inside: Place[]; admitted: number } {
    const inside: Place[] = [];
    for (let n = 0; n < 300; n += 1) {
      for (let m = 0; m < callsAtOnce; m += 1) {
        const place = shedding.knock('stk', { merchantId: 'hurried' });
        if (place.admitted) inside.push(place);
      }
      now += leavesEveryMs;
      leave(inside.shift());
    }
    return { inside, admitted: inside.length };
  }
  beforeEach(() => {
    now = 1_000_000;
    shedding = sheddingAt();
  });

  it('lets fourteen in whatever it costs, and of others only who will soon be done', () => {
    const { admitted } = carry(3);
    expect(admitted).toBe(13);
    expect(shedding.knock('stk', { merchantId: 'hurried' }).admitted).toBe(true);
    expect(shedding.knock('stk', { merchantId: 'hurried' })).toEqual({
      admitted: false,
      reason: 'waiting',
      retryAfterSeconds: 1,
    });
  });

  it('keeps whom it lets in from waiting for more than a quarter of the age at which nobody is', () => {
    const quarterMs = 2_000 / 4;
    const quickMs = everyMs / 2;
    const { admitted } = carry(3, quickMs);
    expect(admitted).toBeGreaterThanOrEqual(14);
    expect(admitted * quickMs).toBeLessThanOrEqual(quarterMs);
  });

  it('lets more in where they are done sooner, however many there are', () => {
    shedding = sheddingAt(20_000);
    const { admitted } = carry(5);
    expect(admitted).toBeGreaterThan(100);
  });

  it('lets in as many as come at a pace that can be carried', () => {
    expect(carry(1).admitted).toBe(0);
    expect(shedding.knock('stk').admitted).toBe(true);
  });

  it('counts what a call has waited before it came here', () => {
    shedding = sheddingAt(20_000);
    carry(1);
    Array.from({ length: 30 }, () => shedding.knock('stk'));
    expect(shedding.knock('stk').admitted).toBe(true);
    expect(shedding.knock('stk', { waitedMs: 7_000 }).admitted).toBe(false);
  });

  it('keeps room for a merchant who has hardly anybody inside', () => {
    carry(3);
    expect(shedding.knock('stk', { merchantId: 'hurried' }).admitted).toBe(true);
    expect(shedding.knock('stk', { merchantId: 'hurried' }).admitted).toBe(false);
    const answers = Array.from({ length: 20 }, () => shedding.knock('stk', { merchantId: 'modest' }));
    const admitted = answers.filter((place) => place.admitted).length;
    expect(admitted).toBeGreaterThanOrEqual(5);
    expect(admitted).toBeLessThanOrEqual(10);
    expect(shedding.knock('stk', { merchantId: 'hurried' }).admitted).toBe(false);
  });

  it('does not take the time of a slow provider for its own', () => {
    const inside: Place[] = [];
    for (let n = 0; n < 300; n += 1) {
      inside.push(shedding.knock('momo'));
      now += everyMs;
      if (inside.length > 60) leave(inside.shift(), 60 * everyMs);
    }
    expect(inside.every((place) => place.admitted)).toBe(true);
    expect(shedding.knock('stk').admitted).toBe(true);
  });

  it('turns strangers away long before', () => {
    carry(1);
    Array.from({ length: 10 }, () => shedding.knock('stk'));
    expect(shedding.knock('strangers', { share: strangersShare }).admitted).toBe(false);
    expect(shedding.knock('stk').admitted).toBe(true);
  });
});
