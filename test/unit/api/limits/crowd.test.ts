/** How long one more caller would wait, as those before it tell. */
import { createCrowd, type Crowd } from '../../../../src/api/limits/shedding';

const visit = { lane: 'stk', merchantId: 'm1' };

describe('a crowd', () => {
  let now = 0;
  let crowd: Crowd;
  beforeEach(() => {
    now = 1_000_000;
    crowd = createCrowd(() => now);
  });

  /** As many as `size` are kept inside, and every `everyMs` the oldest makes way for another. */
  function carries({ size, everyMs, leaving }: { size: number; everyMs: number; leaving: number }): void {
    const inside = Array.from({ length: size }, () => crowd.enter(visit));
    for (let n = 0; n < leaving; n += 1) {
      now += everyMs;
      inside.shift()?.(0);
      inside.push(crowd.enter(visit));
    }
    for (const leave of inside) {
      now += everyMs;
      leave(0);
    }
  }

  it('learns from how fast they leave while there are many', () => {
    carries({ size: 20, everyMs: 40, leaving: 200 });
    expect(crowd.waitMs()).toBeCloseTo(40, 0);
    Array.from({ length: 9 }, () => crowd.enter(visit));
    expect(crowd.waitMs()).toBeCloseTo(400, -1);
  });

  it('learns nothing from few, who leave as rarely as they came', () => {
    const before = crowd.waitMs();
    carries({ size: 3, everyMs: 1_000, leaving: 100 });
    expect(crowd.waitMs()).toBe(before);
  });

  it('counts those who were refused once they had made others wait among those who leave', () => {
    const inside = Array.from({ length: 40 }, () => crowd.enter(visit));
    for (let n = 0; n < 400; n += 1) {
      now += 10;
      // One of four is served.
      inside.shift()?.(n % 4 === 0 ? 0 : 'unknown');
      inside.push(crowd.enter(visit));
    }
    expect(crowd.waitMs() / (crowd.size() + 1)).toBeCloseTo(10, 0);
  });

  it('learns of those who were not served nothing of their provider, nor that those make way who gave up', () => {
    const hanging = Array.from({ length: 30 }, () => crowd.enter({ ...visit, lane: 'hangs' }));
    now += 20_000;
    Array.from({ length: 10 }, () => crowd.enter(visit));
    const before = crowd.waitMs();
    for (const leave of hanging) leave('unknown');
    crowd.enter({ ...visit, lane: 'hangs' });
    expect(crowd.size()).toBe(11);
    expect(crowd.waitMs()).toBeCloseTo((before / 11) * 12, 5);
  });

  it('learns nothing from those whose work was not begun, however fast they go', () => {
    carries({ size: 20, everyMs: 40, leaving: 200 });
    const before = crowd.waitMs();
    Array.from({ length: 20 }, () => crowd.enter(visit)).forEach((leave) => {
      leave();
    });
    expect(crowd.waitMs()).toBe(before);
  });

  it('does not take the time in which nobody was there for slowness', () => {
    carries({ size: 20, everyMs: 10, leaving: 200 });
    now += 3_600_000;
    carries({ size: 20, everyMs: 10, leaving: 20 });
    expect(crowd.waitMs()).toBeCloseTo(10, 0);
  });

  describe('after a burst of which one was served', () => {
    let rest: ((elsewhereMs?: number) => void)[];
    beforeEach(() => {
      rest = Array.from({ length: 10 }, () => crowd.enter(visit));
      now += 20;
      rest.shift()?.(0);
    });
    const another = (size: number) => {
      const next = Array.from({ length: size }, () => crowd.enter(visit));
      now += 20;
      next.shift()?.(0);
      return crowd.waitMs() / (crowd.size() + 1);
    };

    it('does not take the quiet after it for slowness, where all others were refused', () => {
      for (const leave of rest) leave();
      now += 60_000;
      expect(another(10)).toBeLessThanOrEqual(25);
    });

    it('nor where the others hang', () => {
      now += 60_000;
      expect(another(8)).toBeLessThanOrEqual(25);
    });

    it('nor where they are refused when the next are there', () => {
      now += 60_000;
      const next = Array.from({ length: 8 }, () => crowd.enter(visit));
      for (const leave of rest) leave();
      now += 20;
      next.shift()?.(0);
      expect(crowd.waitMs() / (crowd.size() + 1)).toBeLessThanOrEqual(25);
    });
  });

  it('counts those whose provider is slow by the part of their time that is ours', () => {
    for (let n = 0; n < 50; n += 1) {
      const leave = crowd.enter({ ...visit, lane: 'slow' });
      now += 1_000;
      leave(900);
    }
    Array.from({ length: 30 }, () => crowd.enter({ ...visit, lane: 'slow' }));
    expect(crowd.size()).toBeCloseTo(3);
    crowd.enter(visit);
    expect(crowd.size()).toBeCloseTo(4);
  });

  it('counts those no more who have been inside for longer than anybody waits for us', () => {
    Array.from({ length: 30 }, () => crowd.enter({ ...visit, lane: 'hangs' }));
    expect(crowd.size()).toBe(30);
    now += 2_500;
    expect(crowd.size()).toBe(0);
  });

  it('lets nobody leave twice', () => {
    const leave = crowd.enter(visit);
    crowd.enter(visit);
    leave(0);
    leave(0);
    expect(crowd.size()).toBe(1);
  });

  it('tells how many a merchant has, and among how many merchants', () => {
    crowd.enter(visit);
    crowd.enter(visit);
    crowd.enter({ ...visit, merchantId: 'm2' });
    expect(crowd.shares('m1')).toEqual({ merchants: 2, own: 2 });
    expect(crowd.shares('m3')).toEqual({ merchants: 3, own: 0 });
    now += 2_500;
    crowd.enter(visit);
    expect(crowd.shares('m1')).toEqual({ merchants: 1, own: 1 });
  });
});
