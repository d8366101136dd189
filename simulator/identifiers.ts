/** What the Kenyan providers' ids, receipts and dates are made of. */

/** Kenya keeps no summer time, so its clock is UTC plus three hours all year. */
const NAIROBI_AHEAD_MS = 3 * 3_600_000;

export const BASE36 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** A date whose UTC parts read as the wall clock in Nairobi does. */
export function nairobiDate(ms: number): Date {
  return new Date(ms + NAIROBI_AHEAD_MS);
}

/** Draws as {@link unused} does, and remembers whoever was drawn among those that are given. */
export function drawOnce(given: Set<string>, draw: () => string): string {
  const drawn = unused(draw, (candidate) => given.has(candidate));
  given.add(drawn);
  return drawn;
}

/** Draws until nobody has had the same before. */
export function unused(draw: () => string, isUsed: (candidate: string) => boolean): string {
  for (;;) {
    const candidate = draw();
    if (!isUsed(candidate)) return candidate;
  }
}
