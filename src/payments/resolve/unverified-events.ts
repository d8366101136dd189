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
 * A hint says that something changed and not what. It is dealt with once the provider's answer was acted upon, or says
 * for long enough that nothing has changed; until then the provider is asked again soon. Pure.
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
        // A case that stands since earlier looks is no news: hints that bring nothing wait ever longer.
        state: brought ? ('applied' as const) : ('ignored' as const),
        reason: changed ? 'the provider was asked' : 'asked, the provider told nothing new',
      })),
    ],
    unconfirmed: decision.unconfirmed || done.length < hints.length,
  };
}

/** A person is told of what was warned of, so that an answer nobody can read does not keep it unread for ever. */
function isTold(finding: Finding): boolean {
  return finding.kind === 'hint' && finding.warns !== undefined;
}

/** The answer does not show yet what was told of, though it may have changed something else. */
function isBehind(answer: Facts['answer'], changed: boolean): boolean {
  if (answer && 'behind' in answer) return true;
  return answer?.kind === 'open' && !changed;
}

/** That a payment whose reference we know is still open there, is nothing that a hint has brought. */
function addsSomething({ isNamed }: Facts, { enrichment }: Decision): boolean {
  if (enrichment?.kind !== 'open') return enrichment !== undefined;
  return enrichment.details !== undefined || !isNamed;
}

// What a provider warns of before its own answer shows anything: a dispute, or money that it took back. Nothing is
// debited for that. A person is told, what was named is kept to be shown, and the payment is looked at for a while. What
// the provider's own signed words name is held meanwhile (disputed-funds.ts). Pure.

type Warns = Extract<Finding, { kind: 'hint' }> & { warns: Warning };
type Warned = Notice & { finding: Warns };

function isWarning(notice: Notice): notice is Warned {
  return notice.finding.kind === 'hint' && notice.finding.warns !== undefined;
}

/** The decision with a case for what was warned of; of a reversal only while the provider does not show it. */
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

/** Those of a dispute in the order in which they were told, without what is older than what is known of it. */
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
    // What nobody has signed is shown, and says nothing of what is signed.
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

/** What is named in another currency than the payment's may be all of it. */
function toldOf({ instructedCurrency }: Facts, { mayTake }: Warns): string {
  return mayTake?.currency === instructedCurrency ? mayTake.amountMinor.toString() : all;
}

/** Two parts that are told of and not shown yet may be one part told of twice. */
function moreOf(one: string | undefined, other: string): string {
  if (one === undefined) return other;
  if (one === all || other === all) return all;
  return BigInt(one) > BigInt(other) ? one : other;
}

function wordsOf(text: string, notes: Record<string, string>): string {
  return [text, ...Object.entries(notes).map(([name, value]) => `${name} ${value}`)].join(', ');
}

// Reports without proof that name more than was asked. Where the provider's own answer names no amount there is nothing
// to hold against them, and an unproven word never raises what is booked.

type Success = Extract<Finding, { kind: 'succeeded' }>;

const reason = 'it names more than was asked, and proves nothing';

/** @returns those of the reports that nothing but their own word speaks for. */
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

/** The decision without them: a person looks, and what the true report brings can still be taken. */
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

// What to make of a notification that says a payment has failed. A proven one decides. One without proof only makes us
// ask: together with the provider's own word that it failed it ends the payment at once, and alone it ends nothing, so
// that nobody can have a float released, or a paying customer's merchant told "failed", by writing us a letter. Pure.

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

// What to make of a success that somebody reports without proof and the provider, asked, does not confirm. It is never
// booked. A provider that says something else than "failed" may still confirm it, so the report is kept and asked about
// again. One that says so for long enough is believed, or whoever learns a callback's address could keep a payment open:
// a person is told, and a success that is reported later and confirmed is a late one. Pure.

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
