/** Wall-clock texts without a zone, as the specification shows them. ISO 8601 in UTC needs no help from here. */
import { DateTime } from 'luxon';

function inZone(date: Date, zone: string): DateTime<true> {
  const local = DateTime.fromJSDate(date, { zone }).reconfigure({ locale: 'en-US', numberingSystem: 'latn' });
  if (!local.isValid) throw new Error(`no wall clock in the zone "${zone}"`);
  return local;
}

/** M-Pesa's clock, wherever this runs. */
export const networkZone = 'Africa/Nairobi';

/** Where the settings name no zone for the times that people read. */
export const defaultTimezone = 'Africa/Nairobi';

/** A moment as the specification's texts have it, and the same with its zone beside it. */
export function timestamps(at: Date, zone: string): { timestamp: string; timestamp_utc: string } {
  return { timestamp: wallClock(at, zone), timestamp_utc: at.toISOString() };
}

/** By zone, the second that was asked for last: every answer carries the current one, and a zone's rules are slow to read. */
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

/** `YYYY-MM-DD`: the day that a zone has at a moment. */
export function dayIn(zone: string, at: Date): string {
  return inZone(at, zone).toFormat('yyyy-MM-dd');
}

/** The moment at which a day begins in a zone; where the clocks go forward at midnight, the first one that it has. */
export function startOfDay(day: string, zone: string): Date {
  return DateTime.fromISO(day, { zone }).startOf('day').toJSDate();
}

/** The moment that `yyyymmddhhmmss` names in a zone; undefined for what is no such text. */
export function compactMoment(text: string, zone: string): Date | undefined {
  const at = DateTime.fromFormat(text, 'yyyyMMddHHmmss', { zone });
  return at.isValid ? at.toJSDate() : undefined;
}

/** `yyyymmddhhmmss` */
export function compactWallClock(date: Date, zone: string): string {
  return inZone(date, zone).toFormat('yyyyMMddHHmmss');
}
