/** Cuts texts between the characters that a reader sees, and never inside one. */

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** A base with more marks than this is no character of any language: it may be cut between its code points. */
const graphemeLengthMax = 64;

/**
 * The beginning of a text, in whole characters as a reader sees them: an emoji, a flag or a letter with its accents
 * stays whole or is left out. Where the first one alone is too long, it is cut between code points, so that the
 * result of a non-empty text is never empty.
 * @param lengthMax in UTF-16 code units. No provider and no column counts more than these for a text.
 * @returns at most `lengthMax` units of well-formed text: half of a surrogate pair becomes U+FFFD.
 */
export function cutText(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return wellFormed(text);
  // The code point after a position shows whether a character ends there; a text may have any size.
  const beginning = text.slice(0, lengthMax + 2);
  const end = graphemes.segment(beginning).containing(lengthMax)?.index ?? lengthMax;
  const isUsable = end > 0 && lengthMax - end < graphemeLengthMax;
  return wellFormed(isUsable ? beginning.slice(0, end) : betweenCodePoints(text, lengthMax));
}

function betweenCodePoints(text: string, lengthMax: number): string {
  const isWithin = lengthMax > 0 && (text.codePointAt(lengthMax - 1) ?? 0) > 0xffff;
  return text.slice(0, isWithin ? lengthMax - 1 : lengthMax);
}

function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\ufffd');
}
