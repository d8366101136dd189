import { condition } from '@temporalio/workflow';

/**
 * The time a payment lives in. It runs with the wall clock until the sandbox moves it forward; every wait of a
 * workflow goes through it, so that a hold of thirty days can be shown in a second.
 */
export interface Clock {
  now(): number;
  advance(ms: number): void;
  /** Waits until `met` holds or the clock reaches `at`. @returns whether `met` held. */
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
