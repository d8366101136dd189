/** How two clocks differ, told from one question and its answer. */

export interface ClockReading {
  /** What the other clock showed, in milliseconds since 1970. */
  toldAtMs: number;
  /** The finest step that it tells, in milliseconds: a Date header cuts seconds. */
  stepMs: number;
  /** When it was asked, and when the answer was here, by our clock. */
  askedAtMs: number;
  answeredAtMs: number;
}

/**
 * By how many milliseconds the other clock is ahead of ours at least; below zero for behind. It was read at some moment
 * of the call, so that a slow answer alone never makes a difference: 0 is what both may agree on.
 */
export function aheadAtLeastMs({ toldAtMs, stepMs, askedAtMs, answeredAtMs }: ClockReading): number {
  const least = toldAtMs - answeredAtMs;
  const most = toldAtMs + stepMs - askedAtMs;
  if (least > 0) return least;
  return Math.min(0, most);
}

/** The same of the Date header of an HTTP answer (RFC 9110); undefined where there is none. */
export function aheadByDateHeaderMs(
  date: unknown,
  asked: Pick<ClockReading, 'askedAtMs' | 'answeredAtMs'>,
): number | undefined {
  const toldAtMs = typeof date === 'string' ? Date.parse(date) : NaN;
  return Number.isNaN(toldAtMs) ? undefined : aheadAtLeastMs({ toldAtMs, stepMs: 1_000, ...asked });
}
