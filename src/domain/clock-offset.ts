/** The difference of two clocks, from one request and its answer. */

export interface ClockReading {
  /** The other clock's time, in milliseconds since 1970. */
  reportedAtMs: number;
  /** The other clock's resolution, in milliseconds: a Date header cuts seconds. */
  stepMs: number;
  /** When the request was sent, and when the answer arrived, by our clock. */
  askedAtMs: number;
  answeredAtMs: number;
}

/**
 * How many milliseconds the other clock is at least ahead of ours; below zero for behind. It was read at some moment
 * of the call, so a slow answer alone never makes a difference: 0 means that the clocks may agree.
 */
export function aheadAtLeastMs({ reportedAtMs, stepMs, askedAtMs, answeredAtMs }: ClockReading): number {
  const least = reportedAtMs - answeredAtMs;
  const most = reportedAtMs + stepMs - askedAtMs;
  if (least > 0) return least;
  return Math.min(0, most);
}

/** The same from the Date header of an HTTP answer (RFC 9110); undefined where there is none. */
export function aheadByDateHeaderMs(
  date: unknown,
  asked: Pick<ClockReading, 'askedAtMs' | 'answeredAtMs'>,
): number | undefined {
  const reportedAtMs = typeof date === 'string' ? Date.parse(date) : NaN;
  return Number.isNaN(reportedAtMs) ? undefined : aheadAtLeastMs({ reportedAtMs, stepMs: 1_000, ...asked });
}
