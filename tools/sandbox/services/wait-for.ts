import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  /** The awaited event, as the end of "waited 30 s for …". */
  what: string;
  timeoutMs: number;
  everyMs?: number;
  /** Ends the wait early, with its reason. */
  signal?: AbortSignal;
}

/** The longest wait: less than the fifteen minutes after which a test ends without saying what it waited for. */
const longestPatienceMs = 600_000;

/**
 * Calls the probe until it returns neither false nor undefined. A probe that throws is called again; its last error is
 * in the message when the time is over. Tests, on a possibly busy machine, wait several times as long.
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

/** True once `url` answers 200; for {@link waitFor}. */
export async function answersOk(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${url} answered ${String(response.status)}`);
  return true;
}
