/** Parts of the Kenyan providers' ids, receipts and dates. */

/** Kenya has no summer time: its clock is always UTC plus three hours. */
const NAIROBI_AHEAD_MS = 3 * 3_600_000;

export const BASE36 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** A date whose UTC parts are the wall clock in Nairobi. */
export function nairobiDate(ms: number): Date {
  return new Date(ms + NAIROBI_AHEAD_MS);
}

/** Draws as {@link unused} does, and remembers the result in the given set. */
export function drawOnce(given: Set<string>, draw: () => string): string {
  const drawn = unused(draw, (candidate) => given.has(candidate));
  given.add(drawn);
  return drawn;
}

/** Draws until the value is unused. */
export function unused(draw: () => string, isUsed: (candidate: string) => boolean): string {
  for (;;) {
    const candidate = draw();
    if (!isUsed(candidate)) return candidate;
  }
}
