/** What the Kenyan providers' ids, receipts and dates are made of. */

/** Kenya keeps no summer time, so its clock is UTC plus three hours all year. */
const NAIROBI_AHEAD_MS = 3 * 3_600_000;

export const BASE36 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** A date whose UTC parts read as the wall clock in Nairobi does. */
export function nairobiDate(ms: number): Date {
  return new Date(ms + NAIROBI_AHEAD_MS);
}

/** Draws until nobody has had the same before. */
export function unused(draw: () => string, isUsed: (candidate: string) => boolean): string {
  for (;;) {
    const candidate = draw();
    if (!isUsed(candidate)) return candidate;
  }
}
