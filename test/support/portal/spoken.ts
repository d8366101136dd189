/** What the pages say in another language, of what they say in English: tests are read in one. */
import { nextSteps } from '../../../src/domain/next-steps';
import type { Language } from '../../../src/portal/format';
import { catalogues } from '../../../src/portal/words';

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
/** What is not known of a sentence may be anything. */
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

interface Said {
  english: string;
  theirs: string;
}

/** Templates with what they are filled in with; a text that is no word of the catalogue is said as it is. */
function meant(text: string, entries: readonly Said[]): string[] {
  const exact = entries.filter(({ english }) => english === text);
  if (exact.length > 0) return exact.map(({ theirs }) => theirs);
  const filled = entries.flatMap(({ english, theirs }) => {
    const names = [...english.matchAll(blank)].map(([, name = '']) => name);
    // Of what is hardly more than its blanks, anything could be one.
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
  // A part of a sentence, for which the whole stands.
  const within = entries.filter(({ english }) => text.length > 8 && english.includes(text));
  return [...within.map(({ theirs }) => theirs), text];
}

/** @returns what finds it: several words may be the same in English, and are not in the other language. */
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
