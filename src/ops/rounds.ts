import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../domain/log';

interface Round {
  /** Resolves when the round that is under way is over. */
  stop(): Promise<void>;
}

/** Again and again until it is told to stop, not in step with other workers. */
export function repeat(
  work: () => Promise<void>,
  { everyMs, log, otherwise }: { everyMs: number; log: Log; otherwise: string },
): Round {
  const stopping = new AbortController();
  const { signal } = stopping;
  const repeating = untilStopped();

  async function untilStopped(): Promise<void> {
    for (;;) {
      await delay(everyMs * (0.75 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await work();
      } catch (error) {
        log.warn(otherwise, { error });
      }
    }
  }

  return {
    stop() {
      stopping.abort();
      return repeating;
    },
  };
}
