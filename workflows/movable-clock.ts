import { condition } from '@temporalio/workflow';

/**
 * A payment's time. It follows the real clock until the sandbox advances it. Every wait of a workflow uses it, so
 * that a test can pass thirty days in a second.
 */
export interface Clock {
  now(): number;
  advance(ms: number): void;
  /** Waits until `met` is true or the clock reaches `at`. @returns whether `met` was true. */
  waitUntil(met: () => boolean, at: number, summary: string): Promise<boolean>;
}

/** Ten years: later times are of no use, and the latest cannot be written as a date. */
const movableMaxMs = 3_653 * 86_400_000;

/** Rejects an update of the clock whose argument anybody may have written. @throws Error */
export function requireMovable(ms: unknown): void {
  if (typeof ms !== 'number' || !Number.isSafeInteger(ms) || ms < 0 || ms > movableMaxMs)
    throw new Error('the clock moves forward by a whole number of milliseconds, at most ten years');
}

export function movableClock(): Clock {
  let aheadMs = 0;
  const now = () => Date.now() + aheadMs;
  return {
    now,
    advance(ms) {
      aheadMs += ms;
    },
    async waitUntil(met, at, summary) {
      while (!met()) {
        const left = at - now();
        if (left <= 0) return false;
        const movedBefore = aheadMs;
        await condition(() => met() || aheadMs !== movedBefore, left, { summary });
      }
      return true;
    },
  };
}
