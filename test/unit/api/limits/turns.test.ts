/** The order of turns, by a clock of the test. */
import { createTurns, type Turns } from '../../../../src/api/limits/unauthenticated';

describe('turns', () => {
  let turns: Turns;
  let begun: [string, number][];
  let refused: string[];
  let isBusy = false;
  const asked = new Map<string, number>();
  const startedAt = 1_000_000;

  beforeEach(() => {
    jest.useFakeTimers({ now: startedAt });
    isBusy = false;
    asked.clear();
    begun = [];
    refused = [];
    turns = createTurns({
      perMinute: 300,
      isBusy: () => isBusy,
      askedBy: (name) => asked.get(name) ?? 0,
      waitingMax: 3,
      patienceMs: 3_000,
    });
  });
  afterEach(() => jest.useRealTimers());

  function come(...names: string[]): void {
    for (const name of names) {
      turns.take(name).then(
        () => begun.push([name, Date.now() - startedAt]),
        () => refused.push(name),
      );
    }
  }
  const names = () => begun.map(([name]) => name);

  it('start at once after a quiet time, then at an even rate', async () => {
    come('a', 'b', 'c');
    await jest.advanceTimersByTimeAsync(1_000);
    expect(begun).toEqual([
      ['a', 0],
      ['b', 200],
      ['c', 400],
    ]);
    await jest.advanceTimersByTimeAsync(1_000);
    come('d');
    await jest.advanceTimersByTimeAsync(0);
    expect(begun[3]).toEqual(['d', 2_000]);
  });

  it("wait for a gap between the merchants' requests, at most twice their interval", async () => {
    come('a', 'b', 'c');
    isBusy = true;
    await jest.advanceTimersByTimeAsync(300);
    expect(names()).toEqual(['a']);
    isBusy = false;
    await jest.advanceTimersByTimeAsync(10);
    expect(names()).toEqual(['a', 'b']);
    isBusy = true;
    await jest.advanceTimersByTimeAsync(380);
    expect(names()).toEqual(['a', 'b']);
    await jest.advanceTimersByTimeAsync(30);
    expect(names()).toEqual(['a', 'b', 'c']);
  });

  it('come first to callers with the fewest requests', async () => {
    asked.set('greedy', 50);
    asked.set('shop', 2);
    come('greedy', 'greedy', 'shop', 'customer');
    await jest.advanceTimersByTimeAsync(1_000);
    expect(names()).toEqual(['greedy', 'customer', 'shop', 'greedy']);
  });

  it('are rejected when the queue is full, and taken from callers with far more requests', async () => {
    asked.set('greedy', 50);
    come('greedy', 'greedy', 'greedy', 'greedy', 'greedy');
    await jest.advanceTimersByTimeAsync(0);
    expect(refused).toEqual(['greedy']);
    expect(() => {
      turns.check('greedy');
    }).toThrow(expect.objectContaining({ code: 'RATE_LIMITED' }) as Error);
    asked.set('another', 25);
    expect(() => {
      turns.check('another');
    }).toThrow(expect.objectContaining({ code: 'RATE_LIMITED' }) as Error);
    asked.set('greedy', 2);
    // After this request is counted, the caller has exactly half as many.
    expect(() => {
      turns.check('customer');
    }).toThrow(expect.objectContaining({ code: 'RATE_LIMITED' }) as Error);
    asked.set('greedy', 50);
    turns.check('customer');
    come('customer');
    await jest.advanceTimersByTimeAsync(200);
    expect(refused).toEqual(['greedy', 'greedy']);
    expect(names()).toEqual(['greedy', 'customer']);
  });

  it('end after a while, with a retry time for the waiting caller', async () => {
    turns = createTurns({ perMinute: 6, isBusy: () => false, askedBy: () => 0 });
    come('a');
    const reported = turns.take('b').catch((error: unknown) => error);
    await jest.advanceTimersByTimeAsync(3_000);
    expect(await reported).toMatchObject({ code: 'RATE_LIMITED', options: { retryAfterSeconds: 3 } });
    come('c');
    await jest.advanceTimersByTimeAsync(3_000);
    expect([names(), refused]).toEqual([['a'], ['c']]);
  });
});
