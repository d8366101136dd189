/** The loop of every recurring job inside a process. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from './log';

export interface Repeating {
  /** Resolves when the current run is over. */
  stop(): Promise<void>;
}

export interface RepeatOptions {
  /** Milliseconds between two runs, ± 25 %: processes that started together do not run together. */
  everyMs: number;
  /** Milliseconds before the first run, ± 25 %; 0 for at once; `everyMs` by default. */
  firstMs?: number;
  log: Log;
  /** Logged with the error when a run fails. The next run comes all the same. */
  otherwise: string;
  /** Further fields of that line. */
  fields?: Record<string, unknown>;
  /** `error` when an operator has to act. */
  level?: 'warn' | 'error';
}

/** @param work its signal aborts when the process stops; an error after that is not logged. */
export function repeat(
  work: (signal: AbortSignal) => Promise<unknown>,
  { everyMs, firstMs = everyMs, log, otherwise, fields, level = 'warn' }: RepeatOptions,
): Repeating {
  const stopping = new AbortController();
  const { signal } = stopping;
  // A function, because the value changes during an await.
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
        if (!isOver()) log[level](otherwise, { ...fields, error });
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

/** Resolves when none of them runs any more. */
export async function stopAll(repeating: readonly Repeating[]): Promise<void> {
  await Promise.all(repeating.map((one) => one.stop()));
}

/**
 * Tries a write again until it succeeds, for a limited time. It does not keep the process alive.
 * @param isTemporary whether to try again after this error; by default after each.
 * @returns whether it succeeded.
 */
export async function keepTrying(
  write: () => Promise<unknown>,
  {
    everyMs,
    forMs,
    isTemporary = () => true,
  }: { everyMs: number; forMs: number; isTemporary?: (error: unknown) => boolean },
): Promise<boolean> {
  for (const until = performance.now() + forMs; performance.now() < until;) {
    await delay(everyMs, undefined, { ref: false });
    const result = await write().then(
      () => 'done' as const,
      (error: unknown) => (isTemporary(error) ? 'again' : 'over'),
    );
    if (result !== 'again') return result === 'done';
  }
  return false;
}
