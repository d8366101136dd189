/** Parses the dates of statements. The other dates of the file must show which part of 03/11/2026 is the day. */
import { DateTime } from 'luxon';
import { cutText } from '../../domain/cut-text';
import { StatementError, type DateOrder } from '../statement';

const yearFirst = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})$/;
const yearLast = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})$/;
const named = /^(\d{1,2})[- ]([A-Za-z]{3,9})[- ,]{1,2}(\d{4})$/;
const clock = /^(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d{1,9})?(?: ?([ap])\.?m\.?)?$/i;
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

interface Dated {
  n: number;
  text: string;
}

/**
 * @param zone the zone of dates without a zone
 * @param given the order, if the file does not show it
 * @returns a function that reads one date of the file.
 * @throws StatementError if the dates can be read both ways, or if they have different orders.
 */
export function dateReader(
  dates: readonly Dated[],
  zone: string,
  given?: DateOrder,
): (text: string, n: number) => Date {
  assertOneKind(dates);
  const order = given ?? orderOf(dates);
  return (text, n) => {
    const refused = () => new StatementError(`"${cutText(text, 40)}" is not a readable date`, n);
    const { date, rest } = apart(text.trim());
    const day = dayOf(date, order);
    if (!day) throw refused();
    const moment = momentOf(day, rest, zone);
    if (!moment?.isValid) throw refused();
    return moment.toJSDate();
  };
}

/** Splits a text into date and time. Two of the formats have spaces within the date. */
function apart(text: string): { date: string; rest: string } {
  const at = text.search(/[T ,]\d{1,2}:/);
  if (at < 0) return { date: text, rest: '' };
  return { date: text.slice(0, at).replace(/,$/, '').trimEnd(), rest: text.slice(at + 1) };
}

interface Day {
  year: number;
  month: number;
  day: number;
}

function dayOf(text: string, order: DateOrder | undefined): Day | undefined {
  const [, year, month, day] = yearFirst.exec(text) ?? [];
  if (year) return { year: Number(year), month: Number(month), day: Number(day) };
  const [, first, second, last] = yearLast.exec(text) ?? [];
  if (last) {
    const [ofDay, ofMonth] = order === 'mdy' ? [second, first] : [first, second];
    return { year: Number(last), month: Number(ofMonth), day: Number(ofDay) };
  }
  const [, dayOfName, name = '', ofYear] = named.exec(text) ?? [];
  const month0 = months.indexOf(name.slice(0, 3).toLowerCase());
  return month0 < 0 ? undefined : { year: Number(ofYear), month: month0 + 1, day: Number(dayOfName) };
}

function momentOf(day: Day, rest: string, zone: string): DateTime | undefined {
  const offset = /(?:Z|[+-]\d{2}:?\d{2})$/.exec(rest)?.[0] ?? '';
  const bare = rest.slice(0, rest.length - offset.length).trim();
  const [, hours, minutes, seconds, half] = clock.exec(bare === '' ? '0:00' : bare) ?? [];
  if (hours === undefined) return undefined;
  const hour = half === undefined ? Number(hours) : hourOfHalf(Number(hours), half.toLowerCase());
  const local = { ...day, hour, minute: Number(minutes), second: Number(seconds ?? 0) };
  return DateTime.fromObject(local, { zone: offset === '' ? zone : zoneOf(offset) });
}

/** 12 is the first hour of each half. @returns an invalid hour for numbers that a half does not have. */
function hourOfHalf(hours: number, half: string): number {
  if (hours < 1 || hours > 12) return 99;
  return (hours % 12) + (half === 'p' ? 12 : 0);
}

const zoneOf = (offset: string): string =>
  offset === 'Z' ? 'UTC' : `UTC${offset.replace(/^(...)(\d\d)$/, '$1:$2')}`;

/** A spreadsheet may swap day and month of the dates that it understands, and leaves the others. */
function assertOneKind(dates: readonly Dated[]): void {
  const first = (form: RegExp) => dates.find(({ text }) => form.test(apart(text.trim()).date));
  const [beginsWithYear, endsWithYear] = [first(yearFirst), first(yearLast)];
  if (beginsWithYear && endsWithYear) throw ofTwoKinds(beginsWithYear, endsWithYear);
}

/** The order that the dates of the file show: a part above 12 is a day. */
function orderOf(dates: readonly Dated[]): DateOrder | undefined {
  const seen: Partial<Record<DateOrder, Dated>> = {};
  let ambiguous: Dated | undefined;
  for (const dated of dates) {
    const [, first = '', second = ''] = yearLast.exec(apart(dated.text.trim()).date) ?? [];
    if (Number(first) > 12) seen.dmy ??= dated;
    else if (Number(second) > 12) seen.mdy ??= dated;
    else if (first !== second) ambiguous ??= dated;
  }
  if (seen.dmy && seen.mdy) throw ofTwoKinds(seen.dmy, seen.mdy);
  if (ambiguous && !seen.dmy && !seen.mdy)
    throw new StatementError(
      `"${ambiguous.text}" can be read in two ways, and no other date of the file shows the right one; ` +
        'use --date-order dmy or mdy',
      ambiguous.n,
    );
  return seen.mdy ? 'mdy' : 'dmy';
}

function ofTwoKinds(...two: [Dated, Dated]): StatementError {
  const [one, other] = two.sort((a, b) => a.n - b.n);
  return new StatementError(
    `"${other.text}" has its day in another place than "${one.text}" of line ${one.n}; the file has dates in two formats`,
    other.n,
  );
}
