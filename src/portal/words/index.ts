/** Every text of the pages. A text that one language lacks does not compile; a test compares what they fill in. */
import { fill, type Language } from '../language';
import { en } from './en';
import { enDevelopers } from './en-developers';
import { enEndpoints } from './en-endpoints';
import { enOperations } from './en-operations';
import { enPasskeys } from './en-passkeys';
import { enPayments } from './en-payments';
import { enPayouts } from './en-payouts';
import { enTerms } from './en-terms';
import { sw } from './sw';
import { swDevelopers } from './sw-developers';
import { swEndpoints } from './sw-endpoints';
import { swOperations } from './sw-operations';
import { swPasskeys } from './sw-passkeys';
import { swPayments } from './sw-payments';
import { swPayouts } from './sw-payouts';
import { swTerms } from './sw-terms';

export const catalogues = {
  en: {
    ...en,
    ...enPayments,
    ...enDevelopers,
    ...enOperations,
    ...enPayouts,
    ...enTerms,
    ...enPasskeys,
    ...enEndpoints,
  },
  sw: {
    ...sw,
    ...swPayments,
    ...swDevelopers,
    ...swOperations,
    ...swPayouts,
    ...swTerms,
    ...swPasskeys,
    ...swEndpoints,
  },
} satisfies Record<Language, Record<string, string>>;

export type Word = keyof (typeof catalogues)['en'];
export type Translate = (word: Word, values?: Readonly<Record<string, string | number>>) => string;

export function translator(language: Language): Translate {
  const words: Record<Word, string> = catalogues[language];
  return (word, values) => fill(words[word], values);
}

/** For words that are built of data, such as a state. */
export function isWord(text: string): text is Word {
  return Object.hasOwn(catalogues.en, text);
}

/** What a way of paying is called; its own word where the catalogue has none. */
export function railWord(t: Translate, name: string): string {
  const word = `rail.${name}`;
  return isWord(word) ? t(word) : name;
}
