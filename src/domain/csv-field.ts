/** Cells of CSV files. A spreadsheet opens them with its country's separator, whatever the file uses. */

/** The characters that some spreadsheet reads as the end of a cell. */
const separators = /([;|,\t\r\n\v\f\u0085\u2028\u2029])/;
/** The beginning of a formula for some spreadsheet; the wide forms of East Asia, too. */
const begins = /^["\s]*[=+\-@＝＋－＠]/u;
/** The same without a plain number with its sign. */
const runs = /^["\s]*(?:[=@＝＠]|[+\-＋－](?![\d\s]+$))/u;

/**
 * One field according to RFC 4180: protected against formulas in each part that a spreadsheet may put into a cell,
 * and quoted where necessary.
 * @param isNumber true for a number of ours, where a minus is a sign.
 */
export function csvField(value: string | null, isNumber = false): string {
  const text = value ?? '';
  const safe = isNumber ? text : withoutFormulas(text);
  return /[";|,\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * Puts a single quote before each part that would be a formula, and before a text that begins with a tab or a line
 * break.
 */
function withoutFormulas(text: string): string {
  const parts = text.split(separators).map((part) => (begins.test(part) ? `'${part}` : part));
  return /^[\t\r\n]/.test(text) ? `'${parts.join('')}` : parts.join('');
}

/** Whether a spreadsheet would run a part of a cell, in this file or in one made from it. */
export function wouldRun(cell: string): boolean {
  return /^[\t\r]/.test(cell) || cell.split(separators).some((part) => runs.test(part));
}
