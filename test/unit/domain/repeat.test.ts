import { repeat } from '../../../src/domain/repeat';
import type { Log } from '../../../src/domain/log';

/** Logged lines, by level. */
function recording(): Log & { lines: [string, string][] } {
  const lines: [string, string][] = [];
  const at = (level: string) => (text: string) => {
    lines.push([level, text]);
  };
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const otherwise = 'it could not be done';

describe('repeat', () => {
  it('pauses a quarter more or less than configured, from the first pause on', async () => {
    const log = recording();
    let turns = 0;
    const repeating = repeat(
      () => {
        turns += 1;
        return Promise.resolve();
      },
      { everyMs: 1_000, log, otherwise },
    );
    await jest.advanceTimersByTimeAsync(749);
    expect(turns).toBe(0);
    await jest.advanceTimersByTimeAsync(501);
    expect(turns).toBe(1);
    await jest.advanceTimersByTimeAsync(749);
    expect(turns).toBeLessThanOrEqual(2);
    await repeating.stop();
    expect(log.lines).toEqual([]);
  });

  it('continues after a failed run, and logs it', async () => {
    const log = recording();
    let turns = 0;
    const work = () => {
      turns += 1;
      return turns === 1 ? Promise.reject(new Error('lost')) : Promise.resolve();
    };
    const repeating = repeat(work, { everyMs: 1_000, firstMs: 0, log, otherwise, level: 'error' });
    await jest.advanceTimersByTimeAsync(1_300);
    expect(turns).toBe(2);
    expect(log.lines).toEqual([['error', otherwise]]);
    await repeating.stop();
  });

  it('stops after the current run, and logs nothing about its end', async () => {
    const log = recording();
    let fail: (error: Error) => void = () => undefined;
    let seen: AbortSignal | undefined;
    const work = (signal: AbortSignal) => {
      seen = signal;
      return new Promise<void>((_, reject) => (fail = reject));
    };
    const repeating = repeat(work, { everyMs: 1_000, firstMs: 0, log, otherwise });
    const stopped = repeating.stop();
    expect(seen?.aborted).toBe(true);
    fail(new Error('cut'));
    await stopped;
    await jest.advanceTimersByTimeAsync(10_000);
    expect(log.lines).toEqual([]);
  });
});
