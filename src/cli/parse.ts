/** Reads what an operator typed. Everything that cannot be read is wrong usage, told before anything is done. */
import { InputError } from '../operator-actions/errors';
import { readWholeNumber, readWords } from '../operator-actions/read';
import type { Waking } from '../operator-actions/workflows';
import { count } from './table';

/** As the columns of a name of a person. */
const nameLengthMax = 100;

const unitMs: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `30d`, `2h`, `61s`, `1h30m` → milliseconds. */
export function readDuration(text: string): number {
  const parts = [...text.matchAll(/(\d{1,12})(ms|s|m|h|d)/g)];
  const ms = parts.reduce((sum, [, digits, unit = '']) => sum + Number(digits) * (unitMs[unit] ?? 0), 0);
  if (parts.map(([part]) => part).join('') !== text || ms === 0) {
    throw new InputError(`"${text}" is no duration; write it like 30d, 2h, 61s or 1h30m.`);
  }
  return ms;
}

/** A duration back from now, or an ISO 8601 moment. */
export function readSince(text: string): Date {
  if (/^\d{4}-\d{2}-\d{2}/.test(text)) {
    const moment = new Date(text);
    if (!Number.isNaN(moment.getTime())) return moment;
  }
  return new Date(Date.now() - readDuration(text));
}

/** As `readWholeNumber`, and 0 for "never". */
export function readWholeNumberOrNone(text: string): number {
  return text === '0' ? 0 : readWholeNumber(text);
}

/** For options that may be given several times. An empty text gives an empty list, which clears a setting. */
export function collect(text: string, before: string[] | undefined): string[] {
  return text === '' ? [] : [...(before ?? []), text];
}

export const readName = readWords('The name', nameLengthMax);

// A sentence about workflows that could not be woken.

/** What is written down is taken up by the worker's sweeper all the same. */
export function sleepersIn({ failed }: Waking): string {
  const [first] = failed;
  if (!first) return '';
  return `${count(failed.length, 'workflow')} could not be woken (${first.error}); the worker's sweeper takes them up once it runs.`;
}
