/** Files that people open in a spreadsheet: marked as UTF-8, without which it takes them for something else, and with its times as the pages have them. */
import { DateTime } from 'luxon';
import type { Answer } from './visit';

const byteOrderMark = '\uFEFF';

async function* marked(parts: AsyncIterable<string>): AsyncGenerator<string> {
  yield byteOrderMark;
  yield* parts;
}

export function csvDownload(name: string, parts: AsyncIterable<string>): Answer {
  return {
    kind: 'download',
    type: 'text/csv; charset=utf-8; header=present',
    name,
    parts: marked(parts),
  };
}

/** By the clock of the pages, as spreadsheets know a moment: `2026-01-31 11:00:00`. */
export function timeIn(zone: string): (at: Date) => string {
  return (at) => DateTime.fromJSDate(at, { zone }).toFormat('yyyy-MM-dd HH:mm:ss');
}
