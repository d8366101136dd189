/**
 * All texts of the pages. A text that is missing in one language does not compile. A test compares the placeholders.
 */
import { findRailDefinition, railDefinitions } from '../../rails';
import { fill, type Language } from '../format';
import { enChanges } from './en/changes';
import { enDevelopers } from './en/developers';
import { enFrame } from './en/frame';
import { enOperations } from './en/operations';
import { enPayments } from './en/payments';
import { enPayouts } from './en/payouts';
import { swChanges } from './sw/changes';
import { swDevelopers } from './sw/developers';
import { swFrame } from './sw/frame';
import { swOperations } from './sw/operations';
import { swPayments } from './sw/payments';
import { swPayouts } from './sw/payouts';

export const catalogues = {
  en: {
    ...enFrame,
    ...enPayments,
    ...enDevelopers,
    ...enPayouts,
    ...enOperations,
    ...enChanges,
  },
  sw: {
    ...swFrame,
    ...swPayments,
    ...swDevelopers,
    ...swPayouts,
    ...swOperations,
    ...swChanges,
  },
} satisfies Record<Language, Record<string, string>>;

export type Word = keyof (typeof catalogues)['en'];
export type Translate = (
  word: Word | `rail.${string}`,
  values?: Readonly<Record<string, string | number>>,
) => string;

function wordsIn(language: Language): Record<string, string> {
  const words: Record<string, string> = { ...catalogues[language] };
  for (const rail of railDefinitions) words[`rail.${rail.name}`] = rail.portalName[language];
  return words;
}
const wordsOf = { en: wordsIn('en'), sw: wordsIn('sw') };

export function translator(language: Language): Translate {
  const words = wordsOf[language];
  return (word, values) => fill(words[word] ?? word, values);
}

/** Checks a word that is built from data, such as a state. */
export function isWord(text: string): text is Word {
  return Object.hasOwn(catalogues.en, text);
}

/** The name of a payment method; its own name if this build has no such rail. */
export function railWord(t: Translate, name: string): string {
  return findRailDefinition(name) ? t(`rail.${name}`) : name;
}
