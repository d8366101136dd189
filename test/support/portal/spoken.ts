/** Translates English page texts to the language of a check, so that tests contain only English. */
import { nextSteps } from '../../../src/domain/next-steps';
import type { Language } from '../../../src/portal/format';
import { catalogues } from '../../../src/portal/words';

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
/** Placeholders match any text. */
const found = (texts: readonly string[]) =>
  texts
    .map((text) =>
      text
        .split(/\{\w+\}/)
        .map(escaped)
        .join('.+'),
    )
    .join('|');
const blank = /\{(\w+)\}/g;

interface Spoken {
  english: string;
  theirs: string;
}

/**
 * Fills the other language's templates with the values of the English text. A text that is not in the catalogue stays
 * as it is.
 */
function meant(text: string, entries: readonly Spoken[]): string[] {
  const exact = entries.filter(({ english }) => english === text);
  if (exact.length > 0) return exact.map(({ theirs }) => theirs);
  const filled = entries.flatMap(({ english, theirs }) => {
    const names = [...english.matchAll(blank)].map(([, name = '']) => name);
    // A template with almost only placeholders would match anything.
    if (names.length === 0 || english.replace(blank, '').length < 6) return [];
    const values = new RegExp(
      `^${english
        .split(/\{\w+\}/)
        .map(escaped)
        .join('(.+)')}$`,
    )
      .exec(text)
      ?.slice(1);
    if (!values) return [];
    return [theirs.replace(blank, (_, name: string) => values[names.indexOf(name)] ?? '')];
  });
  if (filled.length > 0) return filled;
  // A part of a sentence finds the whole sentence.
  const within = entries.filter(({ english }) => text.length > 8 && english.includes(text));
  return [...within.map(({ theirs }) => theirs), text];
}

/** @returns all possible translations, because several words may have the same English text. */
export function speaking(language: Language): (text: string) => string[] {
  const theirs: Record<string, string> = catalogues[language];
  const entries = [
    ...Object.entries(catalogues.en).map(([word, english]) => ({ english, theirs: theirs[word] ?? '' })),
    ...Object.values(nextSteps).flatMap(({ en, sw, merchant }) => [
      { english: en, theirs: language === 'en' ? en : sw },
      { english: merchant.en, theirs: merchant[language] },
    ]),
  ];
  return (text) => (language === 'en' ? [text] : [...new Set(meant(text, entries))]);
}

export const wholly = (texts: readonly string[]) => new RegExp(`^\\s*(?:${found(texts)})\\s*$`);
export const partly = (texts: readonly string[]) => new RegExp(found(texts));
export const atFirst = (texts: readonly string[]) => new RegExp(`^\\s*(?:${found(texts)})`);
