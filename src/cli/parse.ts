/** Reads typed values. An unreadable value is a usage error; the command reports it before it changes anything. */
import { isDay } from '../ledger/utc-days';
import { InputError } from '../operator-actions/errors';
import { readWholeNumber, readWords } from '../operator-actions/read';
import type { Signalled } from '../operator-actions/workflows';
import { count } from './table';

/** The size of the columns that store a name. */
const nameLengthMax = 100;

const unitMs: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `30d`, `2h`, `61s`, `1h30m` → milliseconds. */
export function readDuration(text: string): number {
  const parts = [...text.matchAll(/(\d{1,12})(ms|s|m|h|d)/g)];
  const ms = parts.reduce((sum, [, digits, unit = '']) => sum + Number(digits) * (unitMs[unit] ?? 0), 0);
  if (parts.map(([part]) => part).join('') !== text || ms === 0) {
    throw new InputError(`"${text}" is not a duration; write it like 30d, 2h, 61s or 1h30m.`);
  }
  return ms;
}

/** A duration back from now, or an ISO 8601 moment. */
export function readSince(text: string): Date {
  if (!/^\d{4}-/.test(text)) return new Date(Date.now() - readDuration(text));
  const moment = new Date(text);
  if (isDay(text.slice(0, 10)) && !Number.isNaN(moment.getTime())) return moment;
  throw new InputError(`"${text}" is not a time; write it like 2026-11-30 or 2026-11-30T02:15:00Z.`);
}

/** As `readWholeNumber`, and 0 for "never". */
export function readWholeNumberOrNone(text: string): number {
  return text === '0' ? 0 : readWholeNumber(text);
}

/** For repeatable options. An empty text gives an empty list, which clears a setting. */
export function collect(text: string, before: string[] | undefined): string[] {
  return text === '' ? [] : [...(before ?? []), text];
}

export const readName = readWords('The name', nameLengthMax);

/** A sentence about workflows that got no signal. The database has their state, so the worker's sweeper continues them. */
export function sleepersIn({ failed }: Signalled): string {
  const [first] = failed;
  if (!first) return '';
  return `${count(failed.length, 'workflow')} could not be signalled (${first.error}); the worker's sweeper will continue them.`;
}
