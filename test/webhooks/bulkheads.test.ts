import { bulkheads } from '../../src/webhooks/bulkheads';

const limits = { inFlightMax: 60, awaitedMax: 30, slowMax: 20, perOriginMax: 4 };

describe('places for deliveries', () => {
  it('are four per origin', () => {
    const places = bulkheads(limits);
    const taken = Array.from({ length: 5 }, () => places.enter('https://a.example'));
    expect(taken.map((place) => place !== undefined)).toEqual([true, true, true, true, false]);
    expect(places.enter('https://b.example')).toBeDefined();
    taken[0]?.('quick');
    expect(places.enter('https://a.example')).toBeDefined();
    expect(places.enter('https://a.example')).toBeUndefined();
  });

  it('are sixty in all', () => {
    const places = bulkheads(limits);
    const taken = Array.from({ length: 70 }, (_, i) => places.enter(`https://m${String(i)}.example`));
    expect(taken.filter((place) => place !== undefined)).toHaveLength(60);
    taken[0]?.();
    expect(places.enter('https://z.example')).toBeDefined();
  });

  it('are twenty for all origins that were slow, and the others keep theirs', () => {
    const places = bulkheads(limits);
    const slow = Array.from({ length: 10 }, (_, i) => `https://slow${String(i)}.example`);
    for (const origin of slow) places.enter(origin)?.('slow');
    const taken = slow.flatMap((origin) => Array.from({ length: 4 }, () => places.enter(origin)));
    expect(taken.filter((place) => place !== undefined)).toHaveLength(20);
    const others = Array.from({ length: 50 }, (_, i) => places.enter(`https://m${String(i)}.example`));
    expect(others.filter((place) => place !== undefined)).toHaveLength(40);
  });

  it('forgive an origin that is quick again', () => {
    const places = bulkheads({ ...limits, slowMax: 1 });
    places.enter('https://a.example')?.('slow');
    places.enter('https://b.example')?.('slow');
    const held = places.enter('https://a.example');
    expect(places.enter('https://b.example')).toBeUndefined();
    held?.('quick');
    places.enter('https://b.example')?.('quick');
    expect(places.enter('https://a.example')).toBeDefined();
    expect(places.enter('https://b.example')).toBeDefined();
  });

  it('learn nothing from a delivery that was never sent', () => {
    const places = bulkheads({ ...limits, slowMax: 0 });
    places.enter('https://a.example')?.('slow');
    expect(places.enter('https://a.example')).toBeUndefined();
    const fresh = bulkheads({ ...limits, slowMax: 0 });
    fresh.enter('https://a.example')?.();
    expect(fresh.enter('https://a.example')).toBeDefined();
  });

  const awaited = { isAwaited: true };

  it('are refused to who waits where the last one was not quick, until one is', () => {
    const places = bulkheads(limits);
    for (const pace of ['usual', 'slow'] as const) {
      places.enter('https://a.example', awaited)?.(pace);
      expect(places.enter('https://a.example', awaited)).toBeUndefined();
      expect(places.enter('https://b.example', awaited)).toBeDefined();
      places.enter('https://a.example')?.('quick');
    }
    expect(places.enter('https://a.example', awaited)).toBeDefined();
  });

  it('are refused to who waits while thirty are under way', () => {
    const places = bulkheads(limits);
    const taken = Array.from({ length: 40 }, (_, i) =>
      places.enter(`https://m${String(i)}.example`, awaited),
    );
    expect(taken.filter((place) => place !== undefined)).toHaveLength(30);
    expect(places.enter('https://z.example')).toBeDefined();
  });
});
