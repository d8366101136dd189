/** Who waits for events asks again while nobody answers: an API is restarted or busy, and a line breaks off. */
import { setTimeout as delay } from 'node:timers/promises';
import { Unreachable } from './merchant-api';

export interface Patience {
  /** Until this is aborted. */
  signal: AbortSignal;
  /** Told once for as long as it is the same. */
  onTrouble(sentence: string): void;
}

const pauseMs = 1_000;

/** Ends early, and never throws, once the signal is aborted. */
export const pause = (signal: AbortSignal): Promise<void> =>
  delay(pauseMs, undefined, { signal }).catch(() => undefined);

/** @returns undefined once it is told to stop. @throws what is a definite no. */
export async function patiently<T>(
  ask: () => Promise<T>,
  { signal, onTrouble }: Patience,
): Promise<T | undefined> {
  const isOver = () => signal.aborted;
  let told = '';
  while (!isOver()) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      // What is aborted breaks off, too.
      if (isOver()) break;
      if (error.message !== told) onTrouble(`${error.message} Trying again.`);
      told = error.message;
      await pause(signal);
    }
  }
  return undefined;
}

const askAgainMs = 250;

/** Asks until there is an answer; a question that failed is asked again. @returns nothing once the time is over. */
export async function askUntil<T>(ask: () => Promise<T | undefined>, forMs: number): Promise<T | undefined> {
  const until = Date.now() + forMs;
  do {
    const answer = await ask().catch(() => undefined);
    if (answer !== undefined) return answer;
    await delay(askAgainMs);
  } while (Date.now() < until);
  return undefined;
}
