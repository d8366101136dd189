/** From which day to which a statement is, as its merchant's zone has them; both are in it. */
import { dayIn } from '../domain/time';
import { dayAfter, isDay } from '../ledger/utc-days';

export interface Period {
  from: string;
  to: string;
}

/** A year, and the day more that a leap year has. */
const daysMax = 366;

/** @returns the faults of what was asked for, by field, in words that do not repeat it; none when it can be told. */
export function faultsOfPeriod(
  { from, to }: Period,
  zone: string,
  now = new Date(),
): { field: 'from' | 'to'; text: string }[] {
  const faults = (['from', 'to'] as const)
    .filter((field) => !isDay({ from, to }[field]))
    .map((field) => ({ field, text: 'must be a day such as 2026-01-31' }));
  if (faults.length > 0) return faults;
  if (to < from) return [{ field: 'from', text: 'must not be after to' }];
  if (to > dayIn(zone, now)) return [{ field: 'to', text: `must not be after today (${zone})` }];
  let last = from;
  for (let days = 1; days < daysMax; days += 1) last = dayAfter(last);
  if (to > last) return [{ field: 'to', text: `must be within ${String(daysMax)} days of from` }];
  return [];
}
