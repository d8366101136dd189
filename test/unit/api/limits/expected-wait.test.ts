/** Admission by the expected wait. */
import { createShedding, unauthenticatedShare } from '../../../../src/api/limits/shedding';

describe('with more callers than the service can handle', () => {
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
  type Place = ReturnType<typeof shedding.tryAdmit>;
  const leave = (place: Place | undefined, elsewhereMs = 0) => {
    if (place?.admitted) place.leave(elsewhereMs);
  };
  /** One call ends every so often, long enough to measure it, with as many in progress as are admitted. */
  function carry(callsAtOnce: number, leavesEveryMs = everyMs): { inside: Place[]; admitted: number } {
    const inside: Place[] = [];
    for (let n = 0; n < 300; n += 1) {
      for (let m = 0; m < callsAtOnce; m += 1) {
        const place = shedding.tryAdmit('stk', { merchantId: 'hurried' });
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

  it('always admits fourteen, and others only with a short expected wait', () => {
    const { admitted } = carry(3);
    expect(admitted).toBe(13);
    expect(shedding.tryAdmit('stk', { merchantId: 'hurried' }).admitted).toBe(true);
    expect(shedding.tryAdmit('stk', { merchantId: 'hurried' })).toEqual({
      admitted: false,
      reason: 'waiting',
      retryAfterSeconds: 1,
    });
  });

  it('keeps the wait of admitted calls below a quarter of the maximal backlog age', () => {
    const quarterMs = 2_000 / 4;
    const quickMs = everyMs / 2;
    const { admitted } = carry(3, quickMs);
    expect(admitted).toBeGreaterThanOrEqual(14);
    expect(admitted * quickMs).toBeLessThanOrEqual(quarterMs);
  });

  it('admits more if calls end sooner, however many there are', () => {
    shedding = sheddingAt(20_000);
    const { admitted } = carry(5);
    expect(admitted).toBeGreaterThan(100);
  });

  it('admits all calls at a rate that the service can handle', () => {
    expect(carry(1).admitted).toBe(0);
    expect(shedding.tryAdmit('stk').admitted).toBe(true);
  });

  it('counts the time that a call has already waited', () => {
    shedding = sheddingAt(20_000);
    carry(1);
    Array.from({ length: 30 }, () => shedding.tryAdmit('stk'));
    expect(shedding.tryAdmit('stk').admitted).toBe(true);
    expect(shedding.tryAdmit('stk', { waitedMs: 7_000 }).admitted).toBe(false);
  });

  it('keeps room for a merchant with few calls', () => {
    carry(3);
    expect(shedding.tryAdmit('stk', { merchantId: 'hurried' }).admitted).toBe(true);
    expect(shedding.tryAdmit('stk', { merchantId: 'hurried' }).admitted).toBe(false);
    const answers = Array.from({ length: 20 }, () => shedding.tryAdmit('stk', { merchantId: 'modest' }));
    const admitted = answers.filter((place) => place.admitted).length;
    expect(admitted).toBeGreaterThanOrEqual(5);
    expect(admitted).toBeLessThanOrEqual(10);
    expect(shedding.tryAdmit('stk', { merchantId: 'hurried' }).admitted).toBe(false);
  });

  it('does not count the time of a slow provider as our own', () => {
    const inside: Place[] = [];
    for (let n = 0; n < 300; n += 1) {
      inside.push(shedding.tryAdmit('momo'));
      now += everyMs;
      if (inside.length > 60) leave(inside.shift(), 60 * everyMs);
    }
    expect(inside.every((place) => place.admitted)).toBe(true);
    expect(shedding.tryAdmit('stk').admitted).toBe(true);
  });

  it('rejects unauthenticated callers much earlier', () => {
    carry(1);
    Array.from({ length: 10 }, () => shedding.tryAdmit('stk'));
    expect(shedding.tryAdmit('unauthenticated', { share: unauthenticatedShare }).admitted).toBe(false);
    expect(shedding.tryAdmit('stk').admitted).toBe(true);
  });
});
