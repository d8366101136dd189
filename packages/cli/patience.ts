/** Repeats a call while the API is restarted, busy or out of reach. */
import { setTimeout as delay } from 'node:timers/promises';
import { Unreachable } from './merchant-api';

export interface WaitOptions {
  /** Until this is aborted. */
  signal: AbortSignal;
  /** Called when a call fails, but only once for the same sentence in a row. */
  onTrouble(sentence: string): void;
}

const pauseMs = 1_000;

/** Ends early, and never throws, once the signal is aborted. */
export const pause = (signal: AbortSignal): Promise<void> =>
  delay(pauseMs, undefined, { signal }).catch(() => undefined);

/** @returns undefined once the signal is aborted. @throws every error that is not temporary. */
export async function patiently<T>(
  ask: () => Promise<T>,
  { signal, onTrouble }: WaitOptions,
): Promise<T | undefined> {
  const isOver = () => signal.aborted;
  let reported = '';
  while (!isOver()) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      // An aborted call also throws.
      if (isOver()) break;
      if (error.message !== reported) onTrouble(`${error.message} Trying again.`);
      reported = error.message;
      await pause(signal);
    }
  }
  return undefined;
}

const askAgainMs = 250;

/** Repeats a call until it returns something, also after an error. @returns undefined when the time is over. */
export async function askUntil<T>(ask: () => Promise<T | undefined>, forMs: number): Promise<T | undefined> {
  const until = Date.now() + forMs;
  do {
    const answer = await ask().catch(() => undefined);
    if (answer !== undefined) return answer;
    await delay(askAgainMs);
  } while (Date.now() < until);
  return undefined;
}
