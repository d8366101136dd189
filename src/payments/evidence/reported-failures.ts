/**
 * What to make of a notification that says a payment has failed. A proven one decides. One without proof only makes us
 * ask: together with the provider's own word that it failed it ends the payment at once, and alone it ends nothing, so
 * that nobody can have a float released, or a paying customer's merchant told "failed", by writing us a letter. Pure.
 */
import { cutText } from '../../domain/cut-text';
import { OUTCOME_UNKNOWN, entrancesOf, isFinal } from '../../domain/payment';
import type { NewCase } from '../../controls/cases';
import type { Decision, Facts } from './decide';
import { describe, isFailure, withoutHints, type Failure, type Notice } from '../rail/notices';

type FailureNotice = Notice & { finding: Failure };

export function reportedFailure({ notices }: Pick<Facts, 'notices'>): FailureNotice | undefined {
  return notices.find((notice): notice is FailureNotice => isFailure(notice.finding));
}

/** A provider's word replaces our own "nobody told us in time", and nothing else that already ended. */
export function mayFail({ state, failureCode }: Omit<Facts, 'answer'>, { kind }: Failure): boolean {
  return entrancesOf(kind).includes(state) && (state !== 'timed_out' || failureCode === OUTCOME_UNKNOWN);
}

/** Two sources say that it failed: who reported it, and the provider when asked. A code nobody knows must be the same. */
export function isAgreedUpon({ notices }: Facts, answer: Failure): boolean {
  return notices.some(
    ({ finding }) => isFailure(finding) && (answer.tentative !== true || finding.code === answer.code),
  );
}

/** A proven failure ends the payment; one about a payment that cannot fail any more is put aside. */
export function failByNotice(facts: Facts, { inboxId, finding }: FailureNotice, nothing: Decision): Decision {
  const others = withoutHints(facts.notices)
    .filter((notice) => notice.inboxId !== inboxId)
    .map((notice) => ({
      inboxId: notice.inboxId,
      state: 'ignored' as const,
      reason: 'not the first to tell',
    }));
  if (!mayFail(facts, finding)) {
    return {
      ...nothing,
      read: [{ inboxId, state: 'ignored', reason: `already ${facts.state}` }, ...others],
    };
  }
  return {
    outcome: { to: finding.kind, finding, by: 'callback' },
    read: [{ inboxId, state: 'applied', reason: finding.kind }, ...others],
    cases: casesOf(finding),
    unconfirmed: false,
  };
}

/**
 * A failure without proof is dealt with once the payment has ended, or the provider has said something else for long
 * enough; until then the provider is asked again soon. What became of it is kept with it.
 */
export function aboutReportedFailures(facts: Facts, decision: Decision): Decision {
  const beside = facts.notices.some(({ finding }) => finding.kind === 'succeeded');
  if (facts.notificationsAreProof || beside) return decision;
  const isRead = ({ inboxId }: Notice) => decision.read.some((done) => done.inboxId === inboxId);
  const left = facts.notices.filter((notice) => isFailure(notice.finding) && !isRead(notice));
  if (left.length === 0) return decision;
  const { outcome } = decision;
  const hasEnded = outcome !== undefined && isFinal(outcome.to);
  const isConfirmed = hasEnded && outcome.by === 'query';
  const told = facts.answer
    ? `asked, the provider says ${describe(facts.answer)}`
    : 'it cannot be asked about';
  const reason = cutText(`a failure was reported without proof; ${told}`, 500);
  const isDone = ({ msAgo }: Notice) => hasEnded || msAgo >= facts.confirmPatienceMs;
  const waiting = left.filter((notice) => !isDone(notice));
  return {
    ...decision,
    read: [
      ...decision.read,
      ...left.filter(isDone).map(({ inboxId }) => ({
        inboxId,
        state: isConfirmed ? ('applied' as const) : ('ignored' as const),
        reason,
      })),
    ],
    undecided: waiting.map(({ inboxId }) => ({ inboxId, reason })),
    unconfirmed: decision.unconfirmed || waiting.length > 0,
  };
}

export function casesOf(failure: Failure): NewCase[] {
  return failure.ourAccount ? [{ reason: 'account_refused', detail: describe(failure) }] : [];
}
