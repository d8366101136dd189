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

export function movableClock(): Clock {
  let movedMs = 0;
  const now = () => Date.now() + movedMs;
  return {
    now,
    advance(ms) {
      movedMs += ms;
    },
    async waitUntil(met, at, summary) {
      while (!met()) {
        const left = at - now();
        if (left <= 0) return false;
        const movedBefore = movedMs;
        await condition(() => met() || movedMs !== movedBefore, left, { summary });
      }
      return true;
    },
  };
}
