/**
 * Signs that nobody sees, and that do something: they move the cursor of a terminal, begin a line of their own, turn the
 * order of what is read around, or make two names of one. Joiners stay, for emoji and several scripts are written with them.
 */

/** C0, DEL and C1, what Unicode calls a line or a paragraph, and every sign of format, such as marks of direction. */
const control = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const everyControl = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
/** Notes have lines and tabs, and nothing that turns them around: what is written from right to left needs none of it. */
const controlInNote = /(?![\t\n\r])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
/** All but line ends and tabs: a lone CR would write over what the line says. */
const controlsInPage = /(?!\r\n|[\t\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

export type TextKind = 'line' | 'note';

/** Whether a text holds what none of its kind may. */
export function holdsControl(text: string, kind: TextKind = 'line'): boolean {
  return (kind === 'note' ? controlInNote : control).test(text);
}

/** As JSON writes it, so that what is JSON stays that, and says the same: some are of two units. */
const byNumber = (sign: string) =>
  sign.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Fit for a terminal or a log: each of them is seen, by its number. Lines and tabs of the text stay. */
export function showControls(text: string): string {
  return text.replaceAll(controlsInPage, byNumber);
}

/** The same in one line: nothing in it begins another. */
export function inOneLine(text: string): string {
  return text.replaceAll(everyControl, byNumber);
}
