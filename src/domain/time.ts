/** Wall-clock texts without a zone, as the specification shows them. ISO 8601 in UTC needs no help from here. */
import { DateTime } from 'luxon';

function inZone(date: Date, zone: string): DateTime<true> {
  const local = DateTime.fromJSDate(date, { zone }).reconfigure({ locale: 'en-US', numberingSystem: 'latn' });
  if (!local.isValid) throw new Error(`no wall clock in the zone "${zone}"`);
  return local;
}

/** `YYYY-MM-DD HH:MM:SS` */
export function wallClock(date: Date, zone: string): string {
  return inZone(date, zone).toFormat('yyyy-MM-dd HH:mm:ss');
}

/** `yyyymmddhhmmss` */
export function compactWallClock(date: Date, zone: string): string {
  return inZone(date, zone).toFormat('yyyyMMddHHmmss');
}
