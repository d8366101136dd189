/** Every text of the pages. A text that one language lacks does not compile; a test compares what they fill in. */
import { fill, type Language } from '../language';
import { en } from './en';
import { enCases } from './en-cases';
import { enChanges } from './en-changes';
import { enDevelopers } from './en-developers';
import { enEndpoints } from './en-endpoints';
import { enFaults } from './en-faults';
import { enFigures } from './en-figures';
import { enLists } from './en-lists';
import { enOperations } from './en-operations';
import { enPasskeys } from './en-passkeys';
import { enPayments } from './en-payments';
import { enPayouts } from './en-payouts';
import { enTerms } from './en-terms';
import { sw } from './sw';
import { swCases } from './sw-cases';
import { swChanges } from './sw-changes';
import { swDevelopers } from './sw-developers';
import { swEndpoints } from './sw-endpoints';
import { swFaults } from './sw-faults';
import { swFigures } from './sw-figures';
import { swLists } from './sw-lists';
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
    ...enLists,
    ...enOperations,
    ...enPayouts,
    ...enTerms,
    ...enPasskeys,
    ...enEndpoints,
    ...enFaults,
    ...enFigures,
    ...enCases,
    ...enChanges,
  },
  sw: {
    ...sw,
    ...swPayments,
    ...swDevelopers,
    ...swLists,
    ...swOperations,
    ...swPayouts,
    ...swTerms,
    ...swPasskeys,
    ...swEndpoints,
    ...swFaults,
    ...swFigures,
    ...swCases,
    ...swChanges,
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
