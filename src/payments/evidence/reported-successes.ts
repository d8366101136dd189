/**
 * What to make of a success that somebody reports without proof and the provider, asked, does not confirm. It is never
 * booked. A provider that says something else than "failed" may still confirm it, so the report is kept and asked about
 * again. One that says so for long enough is believed, or whoever learns a callback's address could keep a payment open:
 * a person is told, and a success that is reported later and confirmed is a late one. Pure.
 */
import { cutText } from '../../domain/cut-text';
import type { NewCase } from '../../controls/cases';
import type { Decision, Facts } from './decide';
import { describe, isFailure, withoutHints, type Failure, type Notice } from '../rail/notices';
import { casesOf, mayFail } from './reported-failures';

/** @param isAtEnd whether nobody waits any longer after this. */
export function unconfirmed(facts: Facts, reported: Notice, isAtEnd: boolean): Decision {
  const { answer } = facts;
  if (!answer || !isFailure(answer)) {
    const detail = answer ? describe(answer) : 'not asked';
    return { read: [], cases: isAtEnd ? [{ reason: 'success_unconfirmed', detail }] : [], unconfirmed: true };
  }
  const told = `asked, the provider says ${describe(answer)}`;
  const denied: NewCase = { reason: 'success_not_confirmed', detail: told };
  if (!isBelieved(facts, answer, reported)) {
    const isNew = facts.tentative?.code !== answer.code;
    return { read: [], cases: [denied], unconfirmed: true, ...(isNew && { remember: answer.code }) };
  }
  return {
    // What has ended otherwise stays as it is; the report has had its time all the same.
    ...(mayFail(facts, answer) && { outcome: { to: answer.kind, finding: answer, by: 'query' } }),
    read: withoutHints(facts.notices).map(({ inboxId, finding }) => ({
      inboxId,
      state: isFailure(finding) ? 'applied' : 'ignored',
      reason: cutText(`${finding.kind} was reported without proof; ${told}`, 500),
    })),
    cases: [denied, ...casesOf(answer)],
    unconfirmed: false,
  };
}

/** It was asked about for as long as anything reported is, and the provider has said the same twice. */
function isBelieved(facts: Facts, answer: Failure, reported: Notice): boolean {
  const { tentative: before, believeTentativeFailureAfterMs, confirmPatienceMs } = facts;
  const isSeenTwice = before?.code === answer.code && before.msAgo >= believeTentativeFailureAfterMs;
  return isSeenTwice && reported.msAgo >= confirmPatienceMs;
}
