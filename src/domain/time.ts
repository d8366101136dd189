/** Wall-clock texts, without a zone where the specification shows them so. ISO 8601 in UTC does not use this file. */
import { DateTime } from 'luxon';

function inZone(date: Date, zone: string): DateTime<true> {
  const local = DateTime.fromJSDate(date, { zone }).reconfigure({ locale: 'en-US', numberingSystem: 'latn' });
  if (!local.isValid) throw new Error(`no wall clock in the zone "${zone}"`);
  return local;
}

/** The zone of M-Pesa's clock, wherever this runs. */
export const networkZone = 'Africa/Nairobi';

/** The default zone of the times that users read. */
export const defaultTimezone = 'Africa/Nairobi';

/** A moment in the specification's text form, and the same in UTC. */
export function timestamps(at: Date, zone: string): { timestamp: string; timestamp_utc: string } {
  return { timestamp: wallClock(at, zone), timestamp_utc: at.toISOString() };
}

/**
 * For each zone, the last second that was formatted: every answer contains the present one, and zone rules are slow
 * to compute.
 */
const latest = new Map<string, { second: number; text: string }>();

/** `YYYY-MM-DD HH:MM:SS` */
export function wallClock(date: Date, zone: string): string {
  const second = Math.floor(date.getTime() / 1_000);
  const known = latest.get(zone);
  if (known?.second === second) return known.text;
  const text = inZone(date, zone).toFormat('yyyy-MM-dd HH:mm:ss');
  latest.set(zone, { second, text });
  return text;
}

/** `YYYY-MM-DD HH:MM:SS +HH:MM`, for readers who may be in another zone */
export function wallClockWithOffset(date: Date, zone: string): string {
  return inZone(date, zone).toFormat('yyyy-MM-dd HH:mm:ss ZZ');
}

/** `YYYY-MM-DD`: the day in a zone at a moment. */
export function dayIn(zone: string, at: Date): string {
  return inZone(at, zone).toFormat('yyyy-MM-dd');
}

/** The moment at which a day begins in a zone; where the clocks go forward at midnight, the first moment of the day. */
export function startOfDay(day: string, zone: string): Date {
  return DateTime.fromISO(day, { zone }).startOf('day').toJSDate();
}

/** The moment that `yyyymmddhhmmss` names in a zone; undefined for any other text. */
export function compactMoment(text: string, zone: string): Date | undefined {
  const at = DateTime.fromFormat(text, 'yyyyMMddHHmmss', { zone });
  return at.isValid ? at.toJSDate() : undefined;
}

/** `yyyymmddhhmmss` */
export function compactWallClock(date: Date, zone: string): string {
  return inZone(date, zone).toFormat('yyyyMMddHHmmss');
}
