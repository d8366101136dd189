/**
 * Invisible characters with an effect: they move a terminal's cursor, begin a new line, reverse the reading order, or
 * make two different names look equal. Joiners stay, because emoji and several scripts need them.
 */

/** C0, DEL and C1, what Unicode calls a line or a paragraph, and every format character, such as direction marks. */
const control = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const everyControl = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
/** Notes may have lines and tabs, but no direction controls: right-to-left text does not need them. */
const controlInNote = /(?![\t\n\r])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
/** All but line ends and tabs: a lone CR would overwrite the line. */
const controlsInPage = /(?!\r\n|[\t\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

export type TextKind = 'line' | 'note';

/** Whether a text contains a control character that its kind forbids. */
export function holdsControl(text: string, kind: TextKind = 'line'): boolean {
  return (kind === 'note' ? controlInNote : control).test(text);
}

/** In JSON notation, so that JSON stays valid JSON with the same meaning: some characters have two units. */
const byNumber = (sign: string) =>
  sign.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Makes a text safe for a terminal or a log: each control character is shown as its number. Lines and tabs stay. */
export function showControls(text: string): string {
  return text.replaceAll(controlsInPage, byNumber);
}

/** The same in one line: no character in it begins another line. */
export function inOneLine(text: string): string {
  return text.replaceAll(everyControl, byNumber);
}
