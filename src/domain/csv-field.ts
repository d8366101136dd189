/** What a spreadsheet would run, or take for the beginning of something to run; the wide forms of East Asia, too. */
const begins = /^[=+\-@\t\r\n＝＋－＠]/u;

/**
 * One field as RFC 4180 has it: told not to be a formula, and quoted where it needs it.
 * @param isNumber of a number of ours a minus is one.
 */
export function csvField(value: string | null, isNumber = false): string {
  const text = value ?? '';
  const safe = !isNumber && begins.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
