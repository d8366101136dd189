/** A provider's words: what they mean, and what may be shown to a merchant, which is a sentence and never a page. */
import { cutText } from '../domain/cut-text';
import type { Acceptance, Recovery } from '../domain/outcome';

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
  /** What the provider calls it, wherever that stands in what it says. */
  match: RegExp;
  /** What the merchant calls it. */
  field: string;
}

/** The merchant's field that a provider's refusal is about, where it names one. */
export function fieldNamedIn(text: string, names: readonly WireField[]): { field?: string } {
  const field = names.find(({ match }) => match.test(text))?.field;
  return field === undefined ? {} : { field };
}

/** Where a table of the provider's words has the word itself, and not what every object has. */
export function meaningOf<T>(table: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}

/**
 * What an instruction came to that was sent again because its first sending left no answer behind. The first may still
 * arrive, or may be why the second was refused: an empty account, a limit, a token that ran out meanwhile say nothing
 * of it. Only a refusal of the very words is one of both, since the same words are refused each time.
 * @param isOfBoth whether a refusal of the second is one of the first, too
 */
export function sentAgain(again: Acceptance, isOfBoth: boolean): Recovery {
  if (again.kind !== 'not_sent' && (again.kind !== 'refused' || isOfBoth)) return again;
  const text = again.kind === 'refused' ? `${again.providerCode} ${again.text}` : `not sent, ${again.text}`;
  return { kind: 'unknown', text: cutText(`sent before without an answer, and again: ${text}`, 500) };
}
