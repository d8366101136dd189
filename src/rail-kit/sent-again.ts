import { cutText } from '../domain/cut-text';
import type { Acceptance, Recovery } from '../domain/outcome';

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
