/** What becomes of a provider's acceptance: what is kept of it, and what is answered to the merchant who waits. */
import type { AcceptanceAnswer } from '../../domain/commands';
import type { Acceptance } from '../../domain/outcome';
import { refusedField } from '../read/refusals';

/** What a provider's answer adds to a payment's details. */
export function toldBy(acceptance: Acceptance): Record<string, string> {
  if ('details' in acceptance) return acceptance.details ?? {};
  return acceptance.kind === 'refused' && acceptance.field !== undefined
    ? { [refusedField]: acceptance.field }
    : {};
}

/**
 * No more than its kind: an answer stands in the workflow's history, which is kept beside our tables and is not ours to
 * prune, and what a provider tells may name a person, as a number of theirs reads like any other id.
 */
export function answerTo(acceptance: Exclude<Acceptance, { kind: 'not_sent' }>): AcceptanceAnswer {
  return acceptance.kind === 'refused'
    ? { kind: 'refused', publicCode: acceptance.publicCode }
    : { kind: acceptance.kind };
}
