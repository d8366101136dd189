/** The one loop of what processes do again and again. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from './log';

export interface Repeating {
  /** Resolves when the turn that is under way is over. */
  stop(): Promise<void>;
}

export interface RepeatOptions {
  /** Milliseconds between two turns, a quarter more or less: processes that were started together do not act together. */
  everyMs: number;
  /** Before the first turn, in the same way; 0 for at once. As between two turns unless given. */
  firstMs?: number;
  log: Log;
  /** Logged with the error where a turn fails; the next one comes all the same. */
  otherwise: string;
  /** `error` for what somebody has to look at. */
  level?: 'warn' | 'error';
}

/** @param work is told by the signal that it should end soon: what fails from then on is not logged. */
export function repeat(
  work: (signal: AbortSignal) => Promise<unknown>,
  { everyMs, firstMs = everyMs, log, otherwise, level = 'warn' }: RepeatOptions,
): Repeating {
  const stopping = new AbortController();
  const { signal } = stopping;
  // Asked anew: it changes while something is awaited.
  const isOver = (): boolean => signal.aborted;
  const repeating = untilStopped();

  async function untilStopped(): Promise<void> {
    for (let pauseMs = firstMs; ; pauseMs = everyMs) {
      if (pauseMs > 0)
        await delay(pauseMs * (0.75 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
      if (isOver()) return;
      try {
        await work(signal);
      } catch (error) {
        if (!isOver()) log[level](otherwise, { error });
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
