import {
  bulkheads,
  type Bulkheads,
  type HowToDeliver,
  type Pace,
  type BulkheadPlace,
} from '../../../src/webhooks/bulkheads';

const limits = { inFlightMax: 60, awaitedMax: 30, slowMax: 20, perOriginMax: 4 };

function place(places: Bulkheads, origin: string, how?: HowToDeliver): BulkheadPlace | undefined {
  const entered = places.enter(origin, how);
  return 'leave' in entered ? entered : undefined;
}

const went = (pace: Pace, tookMs = 0) => ({ pace, tookMs });

describe('places for deliveries', () => {
  it('are four per origin', () => {
    const places = bulkheads(limits);
    const taken = Array.from({ length: 5 }, () => place(places, 'https://a.example'));
    expect(taken.map((one) => one !== undefined)).toEqual([true, true, true, true, false]);
    expect(place(places, 'https://b.example')).toBeDefined();
    taken[0]?.leave(went('quick'));
    expect(place(places, 'https://a.example')).toBeDefined();
    expect(place(places, 'https://a.example')).toBeUndefined();
  });

  it('are sixty in all', () => {
    const places = bulkheads(limits);
    const taken = Array.from({ length: 70 }, (_, i) => place(places, `https://m${String(i)}.example`));
    expect(taken.filter((one) => one !== undefined)).toHaveLength(60);
    taken[0]?.leave();
    expect(place(places, 'https://z.example')).toBeDefined();
  });

  it('are twenty for all slow origins, and the others keep theirs', () => {
    const places = bulkheads(limits);
    const slow = Array.from({ length: 10 }, (_, i) => `https://slow${String(i)}.example`);
    for (const origin of slow) place(places, origin)?.leave(went('slow'));
    const taken = slow.flatMap((origin) => Array.from({ length: 4 }, () => place(places, origin)));
    expect(taken.filter((one) => one !== undefined)).toHaveLength(20);
    const others = Array.from({ length: 50 }, (_, i) => place(places, `https://m${String(i)}.example`));
    expect(others.filter((one) => one !== undefined)).toHaveLength(40);
  });

  it('forgive an origin that is fast again', () => {
    const places = bulkheads({ ...limits, slowMax: 1 });
    place(places, 'https://a.example')?.leave(went('slow'));
    place(places, 'https://b.example')?.leave(went('slow'));
    const held = place(places, 'https://a.example');
    expect(place(places, 'https://b.example')).toBeUndefined();
    held?.leave(went('quick'));
    place(places, 'https://b.example')?.leave(went('quick'));
    expect(place(places, 'https://a.example')).toBeDefined();
    expect(place(places, 'https://b.example')).toBeDefined();
  });

  it('learn nothing from a delivery that was never sent', () => {
    const places = bulkheads({ ...limits, slowMax: 0 });
    place(places, 'https://a.example')?.leave(went('slow'));
    expect(place(places, 'https://a.example')).toBeUndefined();
    const fresh = bulkheads({ ...limits, slowMax: 0 });
    place(fresh, 'https://a.example')?.leave();
    expect(place(fresh, 'https://a.example')).toBeDefined();
  });

  const awaited = { isAwaited: true };

  it('are denied to waiting deliveries while the last one was slow', () => {
    const places = bulkheads(limits);
    for (const pace of ['usual', 'slow'] as const) {
      place(places, 'https://a.example', awaited)?.leave(went(pace));
      expect(place(places, 'https://a.example', awaited)).toBeUndefined();
      expect(place(places, 'https://b.example', awaited)).toBeDefined();
      place(places, 'https://a.example')?.leave(went('quick'));
    }
    expect(place(places, 'https://a.example', awaited)).toBeDefined();
  });

  it('are denied to waiting deliveries while thirty are in progress', () => {
    const places = bulkheads(limits);
    const taken = Array.from({ length: 40 }, (_, i) =>
      place(places, `https://m${String(i)}.example`, awaited),
    );
    expect(taken.filter((one) => one !== undefined)).toHaveLength(30);
    expect(place(places, 'https://z.example')).toBeDefined();
  });
});

describe('deliveries without a place', () => {
  const origin = 'https://slow.example';

  /** A server with scripted delays and a number of webhooks per second, with the results by its own clock. */
  function lived({
    seconds,
    perSecond,
    tookMs,
  }: {
    seconds: number;
    perSecond: number;
    tookMs(at: number): number;
  }) {
    let at = 0;
    const places = bulkheads(limits, () => at);
    const agenda: { at: number; act(): void }[] = [];
    const result = { delivered: [] as number[], asked: 0, waitedMs: [] as number[] };
    const ask = (cameAt: number, isNew: boolean) => {
      result.asked += 1;
      const entered = places.enter(origin, { isNew });
      if ('comeBackInMs' in entered) {
        const backAt = at + Math.max(500, entered.comeBackInMs);
        agenda.push({ at: backAt, act: () => ask(cameAt, false) });
        return;
      }
      const ms = tookMs(at);
      const leave = () => {
        entered.leave({ pace: ms > 2_000 ? 'slow' : 'quick', tookMs: ms });
        result.delivered.push(at);
        result.waitedMs.push(at - cameAt);
      };
      agenda.push({ at: at + ms, act: leave });
    };
    for (let n = 0; n < seconds * perSecond; n += 1) {
      const cameAt = (n * 1_000) / perSecond;
      agenda.push({ at: cameAt, act: () => ask(cameAt, true) });
    }
    while (agenda.length > 0) {
      const next = agenda.reduce((first, one) => (one.at < first.at ? one : first));
      agenda.splice(agenda.indexOf(next), 1);
      at = next.at;
      next.act();
    }
    return result;
  }

  it('retry about as often as places become free, and no place stays free for long', () => {
    const { delivered, asked } = lived({ seconds: 60, perSecond: 5, tookMs: () => 5_000 });
    expect(delivered).toHaveLength(300);
    // With a retry every half second each, there would be about ten thousand.
    expect(asked).toBeLessThan(3 * 300);
    // Four places for five seconds each.
    expect(Math.max(...delivered)).toBeLessThan(1.25 * 300 * (5_000 / 4));
  });

  it('are delivered roughly in order, and a new one overtakes none', () => {
    const { waitedMs } = lived({ seconds: 60, perSecond: 5, tookMs: () => 5_000 });
    const tenths = Array.from({ length: 10 }, (_, n) => Math.max(...waitedMs.slice(n * 30, n * 30 + 30)));
    expect(tenths).toEqual([...tenths].sort((a, b) => a - b));
  });

  it('do not wait behind an old queue once the server is fast again', () => {
    const tookMs = (at: number) => (at < 30_000 ? 5_000 : 20);
    const { delivered, waitedMs } = lived({ seconds: 120, perSecond: 5, tookMs });
    expect(delivered).toHaveLength(600);
    const late = waitedMs.filter((ms) => ms > 1_000);
    // Those of the first half a minute, and none that arrived after them.
    expect(late.length).toBeLessThan(5 * 30 + 30);
    expect(Math.max(...waitedMs)).toBeLessThan(250_000);
  });

  it('are delivered within ten minutes, however many wait', () => {
    const places = bulkheads({ ...limits, perOriginMax: 1 }, () => 0);
    place(places, origin)?.leave(went('slow', 10_000));
    expect(place(places, origin)).toBeDefined();
    const turns = Array.from({ length: 200 }, () => places.enter(origin));
    expect(turns.slice(0, 3)).toEqual([8_000, 16_000, 24_000].map((comeBackInMs) => ({ comeBackInMs })));
    expect(turns.at(-1)).toEqual({ comeBackInMs: 600_000 });
  });
});
