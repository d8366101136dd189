import type { NewCase } from '../../controls/cases';
import { cutText } from '../../domain/cut-text';
import type { Finding, Dispute, Warning } from '../../domain/outcome';
import { OUTCOME_UNKNOWN, entrancesOf, isFinal } from '../../domain/payment';
import type { Decision } from '../transition/outcome-decision';
import {
  vouchedDetail,
  minorDetails,
  all,
  reversalFromDetail,
  disputeDetails,
  severalDetail,
} from '../transition/warning-details';
import { describe, isFailure, withoutHints, type Notice, type Failure } from '../../rail-kit/provider-events';
import type { Facts } from './decide';

/**
 * An unverified event says that something changed, but not what. It is done once the provider's answer was acted on,
 * or has shown no change for long enough. Until then the provider is polled again soon. Pure.
 */
export function aboutHints(facts: Facts, decision: Decision): Decision {
  const hints = facts.notices.filter(({ finding }) => finding.kind === 'hint');
  if (hints.length === 0) return decision;
  const answered = facts.answer !== undefined && facts.answer.kind !== 'unknown';
  const changed = decision.outcome !== undefined || decision.cases.length > 0;
  const brought = decision.outcome !== undefined || addsSomething(facts, decision);
  const done = hints.filter(
    ({ msAgo, isRepetition, finding }) =>
      (answered || isTold(finding)) &&
      ((answered && !isBehind(facts.answer, changed)) ||
        isRepetition === true ||
        msAgo >= facts.followHintMs),
  );
  return {
    ...decision,
    read: [
      ...decision.read,
      ...done.map(({ inboxId }) => ({
        inboxId,
        // A case that is open since earlier reviews does not count as a change: events that change nothing wait ever
        // longer.
        state: brought ? ('applied' as const) : ('ignored' as const),
        reason: changed ? 'the provider was asked' : 'asked, the provider told nothing new',
      })),
    ],
    unconfirmed: decision.unconfirmed || done.length < hints.length,
  };
}

/** A warning opens a case, so that an answer that cannot be read does not keep the event unread for ever. */
function isTold(finding: Finding): boolean {
  return finding.kind === 'hint' && finding.warns !== undefined;
}

/** The answer does not show the reported change yet, though it may have changed something else. */
function isBehind(answer: Facts['answer'], changed: boolean): boolean {
  if (answer && 'behind' in answer) return true;
  return answer?.kind === 'open' && !changed;
}

/** A payment whose reference we know and that is still open there has not changed: the event adds nothing. */
function addsSomething({ isNamed }: Facts, { enrichment }: Decision): boolean {
  if (enrichment?.kind !== 'open') return enrichment !== undefined;
  return enrichment.details !== undefined || !isNamed;
}

// A provider may warn of a dispute or a reversal before its own answer shows anything. Nothing is debited for a
// warning. It opens a case, its data is stored for display, and the payment is checked for a while. A signed warning
// also reserves the amount (disputed-funds.ts). Pure.

type Warns = Extract<Finding, { kind: 'hint' }> & { warns: Warning };
type Warned = Notice & { finding: Warns };

function isWarning(notice: Notice): notice is Warned {
  return notice.finding.kind === 'hint' && notice.finding.warns !== undefined;
}

/** The decision with a case for the warning; for a reversal only while the provider does not show it. */
export function aboutWarnings(facts: Facts, decision: Decision): Decision {
  const news = newsAmong(facts.notices.filter(isWarning), facts.warnedBefore.dispute);
  if (news.length === 0) return decision;
  const isShown = facts.answer?.kind === 'reversed' && facts.answer.behind !== true;
  const won = news.findLast(({ finding }) => finding.warns === 'disputed');
  const noted = notesOf(facts, news);
  const isAlone = noted[severalDetail] !== 'yes';
  const isOver = isAlone && won?.isProven === true && won.finding.dispute?.isWon === true;
  const cases = news
    .filter(({ finding: { warns } }) => (warns === 'disputed' ? !isOver : !isShown))
    .map(({ finding: { warns, text, notes = {} } }): NewCase => ({
      reason: warns,
      detail: wordsOf(text, notes),
    }));
  const settles: NewCase[] = isOver
    ? [{ reason: 'disputed', detail: wordsOf(won.finding.text, won.finding.notes ?? {}) }]
    : [];
  return { ...decision, cases: [...decision.cases, ...cases], settles, noted };
}

/** The dispute warnings in the order of their events, without those older than what is known of the dispute. */
function newsAmong(warnings: Warned[], known: Dispute | undefined): Warned[] {
  const toldAt = ({ finding }: Warned) => finding.dispute?.toldAt ?? '';
  const inOrder = [...warnings].sort((a, b) => (toldAt(a) < toldAt(b) ? -1 : toldAt(a) > toldAt(b) ? 1 : 0));
  let last = known;
  return inOrder.filter(({ finding: { dispute }, isProven }) => {
    if (dispute === undefined) return true;
    const isOld = last?.id === dispute.id && isBefore(dispute, last);
    if (!isOld && isProven) last = dispute;
    return !isOld;
  });
}

function isBefore(one: Dispute, other: Dispute): boolean {
  if (one.toldAt !== other.toldAt) return one.toldAt < other.toldAt;
  return other.isWon && !one.isWon;
}

function notesOf(facts: Facts, news: Warned[]): Record<string, string> {
  const noted: Record<string, string> = {};
  let { reversal, dispute: last, hasSeveral = false } = facts.warnedBefore;
  for (const { finding, isProven = false } of news) {
    const { warns, notes, dispute } = finding;
    Object.assign(noted, notes);
    // An unsigned warning is shown, and does not affect what the signed ones say.
    if (!isProven) continue;
    noted[vouchedDetail] = 'yes';
    if (dispute) {
      hasSeveral ||= last !== undefined && last.id !== dispute.id && !last.isWon;
      last = dispute;
      const { id, toldAt, isWon } = dispute;
      noted[disputeDetails.id] = id;
      noted[disputeDetails.toldAt] = toldAt;
      noted[disputeDetails.isWon] = isWon ? 'yes' : 'no';
      if (hasSeveral) noted[severalDetail] = 'yes';
    }
    const told = hasSeveral ? all : toldOf(facts, finding);
    if (warns === 'disputed') noted[minorDetails.disputed] = told;
    else {
      if (reversal === undefined) noted[reversalFromDetail] = facts.givenBackMinor.toString();
      noted[minorDetails.reversal_told] = reversal = moreOf(reversal, told);
    }
  }
  if (noted[vouchedDetail] === undefined && facts.warnedBefore.at === undefined) noted[vouchedDetail] = 'no';
  return noted;
}

/** An amount in another currency than the payment's may be all of it. */
function toldOf({ instructedCurrency }: Facts, { mayTake }: Warns): string {
  return mayTake?.currency === instructedCurrency ? mayTake.amountMinor.toString() : all;
}

/** Two reported parts that are not shown yet may be the same part reported twice. */
function moreOf(one: string | undefined, other: string): string {
  if (one === undefined) return other;
  if (one === all || other === all) return all;
  return BigInt(one) > BigInt(other) ? one : other;
}

function wordsOf(text: string, notes: Record<string, string>): string {
  return [text, ...Object.entries(notes).map(([name, value]) => `${name} ${value}`)].join(', ');
}

// Unproven reports of more than the requested amount. Where the provider's own answer names no amount, nothing
// confirms or denies them. An unproven report never increases the booked amount.

type Success = Extract<Finding, { kind: 'succeeded' }>;

const reason = 'it names more than was asked, and proves nothing';

/** @returns the reports that no other source supports. */
export function exaggerationsIn(
  { notices, notificationsAreProof }: Pick<Facts, 'notices' | 'notificationsAreProof'>,
  dueMinor: bigint | undefined,
  answer?: Success,
): Notice[] {
  if (notificationsAreProof || dueMinor === undefined || answer?.amountMinor !== undefined) return [];
  return notices.filter(
    ({ finding }) => finding.kind === 'succeeded' && (finding.amountMinor ?? 0n) > dueMinor,
  );
}

/** The decision without these reports: an operator gets a case, and the data of the true report can still be used. */
export function aboutExaggerations(decision: Decision, exaggerations: Notice[], dueMinor: bigint): Decision {
  const [first] = exaggerations;
  if (first?.finding.kind !== 'succeeded') return decision;
  const named = String(first.finding.amountMinor);
  const detail = `${String(dueMinor)} minor units were asked for; a report without proof names ${named}`;
  const isOne = (id: string) => exaggerations.some(({ inboxId }) => inboxId === id);
  return {
    ...decision,
    read: decision.read.map((done) =>
      isOne(done.inboxId) ? { ...done, state: 'ignored' as const, reason } : done,
    ),
    cases: [
      ...decision.cases.filter(({ reason: why }) => why !== 'amount_differs'),
      { reason: 'amount_differs', detail },
    ],
  };
}

// The decision on a notification that reports a failure. A proven one decides. An unproven one only causes a poll.
// Together with the provider's own answer "failed" it ends the payment at once, and alone it ends nothing. An
// unauthenticated caller therefore cannot release a float, or report "failed" to the merchant of a paying customer.
// Pure.

type FailureNotice = Notice & { finding: Failure };

export function reportedFailure({ notices }: Pick<Facts, 'notices'>): FailureNotice | undefined {
  return notices.find((notice): notice is FailureNotice => isFailure(notice.finding));
}

/** A provider's result replaces our own timeout, and no other final state. */
export function mayFail({ state, failureCode }: Omit<Facts, 'answer'>, { kind }: Failure): boolean {
  return entrancesOf(kind).includes(state) && (state !== 'timed_out' || failureCode === OUTCOME_UNKNOWN);
}

/**
 * Two sources agree on the failure: the report, and the provider's answer. An unknown code must be the same in both.
 */
export function isAgreedUpon({ notices }: Facts, answer: Failure): boolean {
  return notices.some(
    ({ finding }) => isFailure(finding) && (answer.tentative !== true || finding.code === answer.code),
  );
}

/** A proven failure ends the payment. A failure of a payment that cannot fail any more is ignored. */
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
 * An unproven failure report is done once the payment has ended, or the provider has reported something else for long
 * enough. Until then the provider is polled again soon. The result is stored with the report.
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

// The decision on a success that is reported without proof and that the provider does not confirm. It is never
// booked. The provider may still confirm it after any answer other than "failed", so the report is kept and polled
// again. A provider that answers "failed" for long enough is believed: otherwise a caller who learns a webhook
// address could keep a payment open. Then a case is opened, and a later confirmed success counts as a late one. Pure.

/** @param isAtEnd whether no further check follows. */
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
    // A payment with another end stays as it is; the report is closed all the same.
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

/** The report was polled for its whole time, and the provider has answered the same twice. */
function isBelieved(facts: Facts, answer: Failure, reported: Notice): boolean {
  const { tentative: before, believeTentativeFailureAfterMs, confirmPatienceMs } = facts;
  const isSeenTwice = before?.code === answer.code && before.msAgo >= believeTentativeFailureAfterMs;
  return isSeenTwice && reported.msAgo >= confirmPatienceMs;
}
