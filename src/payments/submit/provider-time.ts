import type { Initiation } from '../../domain/commands';

/** @returns what the provider answered, and for how long it was waited for, in milliseconds. */
export async function timed<T>(call: Promise<T>): Promise<[T, number]> {
  const begunAt = performance.now();
  const answer = await call;
  return [answer, Math.round(performance.now() - begunAt)];
}

/** Whoever waits for the acceptance learns how much of that was the provider's time. */
export function withProviderTime(initiation: Initiation, providerMs: number): Initiation {
  return { ...initiation, answer: { ...initiation.answer, providerMs } };
}
