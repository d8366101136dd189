import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  /** What is awaited, as the end of "waited 30 s for …". */
  what: string;
  timeoutMs: number;
  everyMs?: number;
  /** Ends the waiting early, with its reason. */
  signal?: AbortSignal;
}

/** Where patience ends: short of the fifteen minutes after which a test ends without saying what it waited for. */
const longestPatienceMs = 600_000;

/**
 * Asks until the answer is neither false nor undefined. A probe that throws has not answered yet; its last error is
 * part of the message when time runs out. Tests, whose machine may have much else to do, wait several times as long.
 */
export async function waitFor<T>(
  probe: () => Promise<T | false | undefined>,
  { what, timeoutMs, everyMs = 50, signal }: WaitOptions,
): Promise<T> {
  const patience = Number(process.env.MALIPO_TEST_PATIENCE ?? 1);
  const patientMs = Math.max(timeoutMs, Math.min(timeoutMs * patience, longestPatienceMs));
  const deadline = Date.now() + patientMs;
  let lastError: unknown;
  do {
    signal?.throwIfAborted();
    try {
      const answer = await probe();
      if (answer !== false && answer !== undefined) return answer;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    await delay(everyMs);
  } while (Date.now() < deadline);
  const why = lastError instanceof Error ? `: ${lastError.message}` : '';
  throw new Error(`waited ${String(Math.round(patientMs / 1000))} s for ${what}${why}`, { cause: lastError });
}

/** True once `url` answers 200; used with {@link waitFor}. */
export async function answersOk(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${url} answered ${String(response.status)}`);
  return true;
}
