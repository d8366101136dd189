/**
 * Signs that nobody sees, and that do something: they move the cursor of a terminal, begin a line of their own, or turn
 * the order of what is read around. Joiners stay, for emoji and several scripts are written with them.
 */

/** C0, DEL and C1, what Unicode calls a line or a paragraph, and what overrides or embeds a direction. */
const control = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;
const everyControl = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;
/** Notes have lines and tabs, and are written from right to left. */
const controlInNote = /(?![\t\n\r])\p{Cc}/u;
/** All but line ends and tabs: a lone CR would write over what the line says. */
const controlsInPage = /(?!\r\n|[\t\n])[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

export type TextKind = 'line' | 'note';

/** Whether a text holds what none of its kind may. */
export function holdsControl(text: string, kind: TextKind = 'line'): boolean {
  return (kind === 'note' ? controlInNote : control).test(text);
}

/** As JSON writes it, so that what is JSON stays that, and says the same. All of them are of one unit. */
const byNumber = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Fit for a terminal or a log: each of them is seen, by its number. Lines and tabs of the text stay. */
export function showControls(text: string): string {
  return text.replaceAll(controlsInPage, byNumber);
}

/** The same in one line: nothing in it begins another. */
export function inOneLine(text: string): string {
  return text.replaceAll(everyControl, byNumber);
}
