/** Cells of CSV files, which spreadsheets open with the separator of their country, whatever the file has. */

/** What some spreadsheet takes for the end of a cell. */
const separators = /([;|,\t\r\n\v\f\u0085\u2028\u2029])/;
/** What a spreadsheet would run, or take for the beginning of something to run; the wide forms of East Asia, too. */
const begins = /^["\s]*[=+\-@＝＋－＠]/u;
/** The same without what is only a number with its sign. */
const runs = /^["\s]*(?:[=@＝＠]|[+\-＋－](?![\d\s]+$))/u;

/**
 * One field as RFC 4180 has it: told not to be a formula, in whichever cell a spreadsheet puts a part of it, and quoted
 * where it needs it.
 * @param isNumber of a number of ours a minus is one.
 */
export function csvField(value: string | null, isNumber = false): string {
  const text = value ?? '';
  const safe = isNumber ? text : withoutFormulas(text);
  return /[";|,\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A quotation mark before each part that would be a formula, and before a text that begins with a tab or a line break. */
function withoutFormulas(text: string): string {
  const parts = text.split(separators).map((part) => (begins.test(part) ? `'${part}` : part));
  return /^[\t\r\n]/.test(text) ? `'${parts.join('')}` : parts.join('');
}

/** Whether a spreadsheet would run a part of a cell, where somebody opens the file it stands in, or one made of it. */
export function wouldRun(cell: string): boolean {
  return /^[\t\r]/.test(cell) || cell.split(separators).some((part) => runs.test(part));
}
