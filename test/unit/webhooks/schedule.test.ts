import { pauseAfter, pausesMs, triesMax } from '../../../src/webhooks/attempts';

const exact = { timeScale: 1, random: () => 0.5 };

describe('the schedule of webhook attempts', () => {
  it('has fourteen attempts, over 72 hours', () => {
    const minutes = pausesMs.map((pauseMs) => pauseMs / 60_000);
    expect(minutes).toEqual([0, 1 / 6, 1, 5, 15, 30, 60, 120, 240, 480, 720, 720, 960, 960]);
    expect(triesMax).toBe(14);
    const hours = minutes.reduce((sum, pause) => sum + pause, 0) / 60;
    expect(Math.round(hours)).toBe(72);
  });

  it('pauses as in the table after each failed attempt', () => {
    const pauses = Array.from({ length: 13 }, (_, i) => pauseAfter(i + 1, exact));
    expect(pauses).toEqual(pausesMs.slice(1));
  });

  it('ends after the fourteenth', () => {
    expect(pauseAfter(14, exact)).toBeUndefined();
    expect(pauseAfter(15, exact)).toBeUndefined();
  });

  it('varies by ten per cent', () => {
    expect(pauseAfter(1, { timeScale: 1, random: () => 0 })).toBe(9_000);
    expect(pauseAfter(1, { timeScale: 1, random: () => 1 })).toBe(11_000);
    for (let i = 0; i < 1000; i += 1) {
      const pauseMs = pauseAfter(2, { timeScale: 1 });
      expect(pauseMs).toBeGreaterThanOrEqual(54_000);
      expect(pauseMs).toBeLessThanOrEqual(66_000);
    }
  });

  it('runs faster in a fast sandbox', () => {
    expect(pauseAfter(1, { ...exact, timeScale: 1_000 })).toBe(10);
    expect(pauseAfter(1, { ...exact, timeScale: 1_000_000 })).toBe(0);
  });
});
