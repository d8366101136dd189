/** The meaning of a provider's words, and the part that a merchant may see: a sentence and never a page. */
import { cutText } from '../domain/cut-text';
import type { SubmissionResult, Recovery } from '../domain/outcome';

const lengthMax = 300;
/** Markup, or the beginning of a JSON text. */
const noSentence = /<[a-z!/]|[{[]\s*["'{[\]}]/i;

/** @returns the sentence in one line, or the fallback where there is none. */
export function sentenceOf(text: string, fallback: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Surrogate}\s]+/gu, ' ').trim();
  if (line === '' || noSentence.test(line)) return fallback;
  return cutText(line, lengthMax);
}

export interface WireField {
  /** The provider's name of the field, anywhere in its text. */
  match: RegExp;
  /** The merchant's name of the field. */
  field: string;
}

/** The merchant's field that a provider's refusal concerns, where it names one. */
export function fieldNamedIn(text: string, names: readonly WireField[]): { field?: string } {
  const field = names.find(({ match }) => match.test(text))?.field;
  return field === undefined ? {} : { field };
}

/** Reads the table's own key only, not an inherited property. */
export function meaningOf<T>(table: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}

/**
 * The result of a submission that was sent again because the first answer was lost. The first may still arrive, or
 * may be the reason for the second's refusal. An empty account, a limit or an expired token therefore says nothing
 * about the first. Only a refusal of the request's content applies to both, because the same content is refused each
 * time.
 * @param isOfBoth whether a refusal of the second also applies to the first
 */
export function sentAgain(again: SubmissionResult, isOfBoth: boolean): Recovery {
  if (again.kind !== 'not_sent' && (again.kind !== 'refused' || isOfBoth)) return again;
  const text = again.kind === 'refused' ? `${again.providerCode} ${again.text}` : `not sent, ${again.text}`;
  return {
    kind: 'unknown',
    text: cutText(`an earlier submission got no answer, and this one: ${text}`, 500),
  };
}
