/** Finds what a mistyped word was probably meant to be. */

/** Longer texts are not compared: they are no typing errors, and anybody may send them. */
const lengthMax = 80;
/** Of the longer text, the share of characters that may differ. */
const shareMax = 0.34;

type WordOf = (text: string) => string;

/**
 * Prepares a list for many texts.
 * @param wordOf reduces a text to what counts: by default its letters and digits, in lower case.
 * @returns for a text the candidate with the fewest differences, unless all are too far from it.
 */
export function closestAmong(
  candidates: readonly string[],
  wordOf: WordOf = lettersOf,
): (text: string) => string | undefined {
  const known = candidates.map((candidate) => ({ candidate, word: wordOf(candidate) }));
  return (text) => {
    if (text.length > lengthMax) return undefined;
    const given = wordOf(text);
    let best: { candidate: string; edits: number } | undefined;
    for (const { candidate, word } of known) {
      const most = Math.min(
        Math.floor(Math.max(given.length, word.length) * shareMax),
        (best?.edits ?? Infinity) - 1,
      );
      if (Math.abs(given.length - word.length) > most) continue;
      const edits = editsBetween(given, word, most);
      if (edits <= most) best = { candidate, edits };
    }
    return best?.candidate;
  };
}

export const closest = (text: string, candidates: readonly string[], wordOf?: WordOf): string | undefined =>
  closestAmong(candidates, wordOf)(text);

const lettersOf = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** Characters to add, remove or replace (Levenshtein); any number above `most` where there are more. */
function editsBetween(from: string, to: string, most: number): number {
  let previous = Array.from({ length: to.length + 1 }, (_, n) => n);
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (previous[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    if (Math.min(...next) > most) return most + 1;
    previous = next;
  }
  return previous[to.length] ?? 0;
}
