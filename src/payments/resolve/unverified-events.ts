import type { NewCase } from '../../controls/cases';
import { cutText } from '../../domain/cut-text';
import type { ProviderResult, Dispute, Warning } from '../../domain/outcome';
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
import {
  describe,
  isFailure,
  withoutUnverified,
  type ProviderEvent,
  type Failure,
} from '../../rail-kit/provider-events';
import type { Facts } from './decide';

/**
 * An unverified event says that something changed, but not what. It is done once the provider's answer was acted on,
 * or has shown no change for long enough. Until then the provider is polled again soon. Pure.
 */
export function onUnverifiedEvents(facts: Facts, decision: Decision): Decision {
  const unverifiedEvents = facts.providerEvents.filter(
    ({ providerResult }) => providerResult.kind === 'unverified',
  );
  if (unverifiedEvents.length === 0) return decision;
  const answered = facts.answer !== undefined && facts.answer.kind !== 'unknown';
  const changed = decision.outcome !== undefined || decision.cases.length > 0;
  const brought = decision.outcome !== undefined || addsSomething(facts, decision);
  const done = unverifiedEvents.filter(
    ({ msAgo, isRepetition, providerResult }) =>
      (answered || isWarned(providerResult)) &&
      ((answered && !isBehind(facts.answer, changed)) ||
        isRepetition === true ||
        msAgo >= facts.followUnverifiedMs),
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
        reason: changed ? 'the provider was queried' : 'queried, the provider reported nothing new',
      })),
    ],
    unconfirmed: decision.unconfirmed || done.length < unverifiedEvents.length,
  };
}

/** A warning opens a case, so that an answer that cannot be read does not keep the event unread forever. */
function isWarned(providerResult: ProviderResult): boolean {
  return providerResult.kind === 'unverified' && providerResult.warns !== undefined;
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

type Warns = Extract<ProviderResult, { kind: 'unverified' }> & { warns: Warning };
type Warned = ProviderEvent & { providerResult: Warns };

function isWarning(providerEvent: ProviderEvent): providerEvent is Warned {
  return (
    providerEvent.providerResult.kind === 'unverified' && providerEvent.providerResult.warns !== undefined
  );
}

/** The decision with a case for the warning; for a reversal only while the provider does not show it. */
export function aboutWarnings(facts: Facts, decision: Decision): Decision {
  const fresh = newAmong(facts.providerEvents.filter(isWarning), facts.warnedBefore.dispute);
  if (fresh.length === 0) return decision;
  const isShown = facts.answer?.kind === 'reversed' && facts.answer.behind !== true;
  const won = fresh.findLast(({ providerResult }) => providerResult.warns === 'disputed');
  const noted = notesOf(facts, fresh);
  const isAlone = noted[severalDetail] !== 'yes';
  const isOver = isAlone && won?.isProven === true && won.providerResult.dispute?.isWon === true;
  const cases = fresh
    .filter(({ providerResult: { warns } }) => (warns === 'disputed' ? !isOver : !isShown))
    .map(({ providerResult: { warns, text, notes = {} } }): NewCase => ({
      reason: warns,
      detail: wordsOf(text, notes),
    }));
  const settles: NewCase[] = isOver
    ? [{ reason: 'disputed', detail: wordsOf(won.providerResult.text, won.providerResult.notes ?? {}) }]
    : [];
  return { ...decision, cases: [...decision.cases, ...cases], settles, noted };
}

/** The dispute warnings in the order of their events, without those older than what is known of the dispute. */
function newAmong(warnings: Warned[], known: Dispute | undefined): Warned[] {
  const reportedAt = ({ providerResult }: Warned) => providerResult.dispute?.reportedAt ?? '';
  const inOrder = [...warnings].sort((a, b) =>
    reportedAt(a) < reportedAt(b) ? -1 : reportedAt(a) > reportedAt(b) ? 1 : 0,
  );
  let last = known;
  return inOrder.filter(({ providerResult: { dispute }, isProven }) => {
    if (dispute === undefined) return true;
    const isOld = last?.id === dispute.id && isBefore(dispute, last);
    if (!isOld && isProven) last = dispute;
    return !isOld;
  });
}

function isBefore(one: Dispute, other: Dispute): boolean {
  if (one.reportedAt !== other.reportedAt) return one.reportedAt < other.reportedAt;
  return other.isWon && !one.isWon;
}

function notesOf(facts: Facts, fresh: Warned[]): Record<string, string> {
  const noted: Record<string, string> = {};
  let { reversal, dispute: last, hasSeveral = false } = facts.warnedBefore;
  for (const { providerResult, isProven = false } of fresh) {
    const { warns, notes, dispute } = providerResult;
    Object.assign(noted, notes);
    // An unsigned warning is shown, and does not affect what the signed ones say.
    if (!isProven) continue;
    noted[vouchedDetail] = 'yes';
    if (dispute) {
      hasSeveral ||= last !== undefined && last.id !== dispute.id && !last.isWon;
      last = dispute;
      const { id, reportedAt, isWon } = dispute;
      noted[disputeDetails.id] = id;
      noted[disputeDetails.reportedAt] = reportedAt;
      noted[disputeDetails.isWon] = isWon ? 'yes' : 'no';
      if (hasSeveral) noted[severalDetail] = 'yes';
    }
    const amount = hasSeveral ? all : reportedAmountOf(facts, providerResult);
    if (warns === 'disputed') noted[minorDetails.disputed] = amount;
    else {
      if (reversal === undefined) noted[reversalFromDetail] = facts.returnedMinor.toString();
      noted[minorDetails.reversal_reported] = reversal = moreOf(reversal, amount);
    }
  }
  if (noted[vouchedDetail] === undefined && facts.warnedBefore.at === undefined) noted[vouchedDetail] = 'no';
  return noted;
}

/** An amount in another currency than the payment's may be all of it. */
function reportedAmountOf({ instructedCurrency }: Facts, { mayTake }: Warns): string {
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

type Success = Extract<ProviderResult, { kind: 'succeeded' }>;

const reason = 'it reports more than the requested amount, without proof';

/** @returns the reports that no other source supports. */
export function overReportedIn(
  { providerEvents, notificationsAreTrusted }: Pick<Facts, 'providerEvents' | 'notificationsAreTrusted'>,
  dueMinor: bigint | undefined,
  answer?: Success,
): ProviderEvent[] {
  if (notificationsAreTrusted || dueMinor === undefined || answer?.amountMinor !== undefined) return [];
  return providerEvents.filter(
    ({ providerResult }) =>
      providerResult.kind === 'succeeded' && (providerResult.amountMinor ?? 0n) > dueMinor,
  );
}

/** The decision without these reports: an operator gets a case, and the data of the true report can still be used. */
export function onOverReported(
  decision: Decision,
  overReported: ProviderEvent[],
  dueMinor: bigint,
): Decision {
  const [first] = overReported;
  if (first?.providerResult.kind !== 'succeeded') return decision;
  const named = String(first.providerResult.amountMinor);
  const detail = `requested: ${String(dueMinor)} minor units; an unverified event reports ${named}`;
  const isOne = (id: string) => overReported.some(({ inboxId }) => inboxId === id);
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

type FailureEvent = ProviderEvent & { providerResult: Failure };

export function reportedFailure({ providerEvents }: Pick<Facts, 'providerEvents'>): FailureEvent | undefined {
  return providerEvents.find((providerEvent): providerEvent is FailureEvent =>
    isFailure(providerEvent.providerResult),
  );
}

/** A provider's result replaces our own timeout, and no other final state. */
export function canFail({ state, failureCode }: Omit<Facts, 'answer'>, { kind }: Failure): boolean {
  return entrancesOf(kind).includes(state) && (state !== 'timed_out' || failureCode === OUTCOME_UNKNOWN);
}

/**
 * Two sources agree on the failure: the report, and the provider's answer. An unknown code must be the same in both.
 */
export function isAgreedUpon({ providerEvents }: Facts, answer: Failure): boolean {
  return providerEvents.some(
    ({ providerResult }) =>
      isFailure(providerResult) && (answer.tentative !== true || providerResult.code === answer.code),
  );
}

/** A proven failure ends the payment. A failure of a payment that cannot fail any more is ignored. */
export function failByEvent(
  facts: Facts,
  { inboxId, providerResult }: FailureEvent,
  nothing: Decision,
): Decision {
  const others = withoutUnverified(facts.providerEvents)
    .filter((providerEvent) => providerEvent.inboxId !== inboxId)
    .map((providerEvent) => ({
      inboxId: providerEvent.inboxId,
      state: 'ignored' as const,
      reason: 'not the first report',
    }));
  if (!canFail(facts, providerResult)) {
    return {
      ...nothing,
      read: [{ inboxId, state: 'ignored', reason: `already ${facts.state}` }, ...others],
    };
  }
  return {
    outcome: { to: providerResult.kind, providerResult, by: 'callback' },
    read: [{ inboxId, state: 'applied', reason: providerResult.kind }, ...others],
    cases: casesOf(providerResult),
    unconfirmed: false,
  };
}

/**
 * An unproven failure report is done once the payment has ended, or the provider has reported something else for long
 * enough. Until then the provider is polled again soon. The result is stored with the report.
 */
export function aboutReportedFailures(facts: Facts, decision: Decision): Decision {
  const beside = facts.providerEvents.some(({ providerResult }) => providerResult.kind === 'succeeded');
  if (facts.notificationsAreTrusted || beside) return decision;
  const isRead = ({ inboxId }: ProviderEvent) => decision.read.some((done) => done.inboxId === inboxId);
  const left = facts.providerEvents.filter(
    (providerEvent) => isFailure(providerEvent.providerResult) && !isRead(providerEvent),
  );
  if (left.length === 0) return decision;
  const { outcome } = decision;
  const hasEnded = outcome !== undefined && isFinal(outcome.to);
  const isConfirmed = hasEnded && outcome.by === 'query';
  const answered = facts.answer
    ? `the provider answered: ${describe(facts.answer)}`
    : 'the provider cannot be queried';
  const reason = cutText(`an unverified event reported a failure; ${answered}`, 500);
  const isDone = ({ msAgo }: ProviderEvent) => hasEnded || msAgo >= facts.confirmPatienceMs;
  const waiting = left.filter((providerEvent) => !isDone(providerEvent));
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
export function unconfirmed(facts: Facts, reported: ProviderEvent, isAtEnd: boolean): Decision {
  const { answer } = facts;
  if (!answer || !isFailure(answer)) {
    const detail = answer ? describe(answer) : 'not queried';
    return { read: [], cases: isAtEnd ? [{ reason: 'success_unconfirmed', detail }] : [], unconfirmed: true };
  }
  const answered = `the provider answered: ${describe(answer)}`;
  const denied: NewCase = { reason: 'success_not_confirmed', detail: answered };
  if (!isTrusted(facts, answer, reported)) {
    const isNew = facts.tentative?.code !== answer.code;
    return { read: [], cases: [denied], unconfirmed: true, ...(isNew && { remember: answer.code }) };
  }
  return {
    // A payment with another end stays as it is; the report is closed all the same.
    ...(canFail(facts, answer) && { outcome: { to: answer.kind, providerResult: answer, by: 'query' } }),
    read: withoutUnverified(facts.providerEvents).map(({ inboxId, providerResult }) => ({
      inboxId,
      state: isFailure(providerResult) ? 'applied' : 'ignored',
      reason: cutText(`an unverified event reported ${providerResult.kind}; ${answered}`, 500),
    })),
    cases: [denied, ...casesOf(answer)],
    unconfirmed: false,
  };
}

/** The report was polled for its whole time, and the provider has answered the same twice. */
function isTrusted(facts: Facts, answer: Failure, reported: ProviderEvent): boolean {
  const { tentative: before, trustTentativeFailureAfterMs, confirmPatienceMs } = facts;
  const isSeenTwice = before?.code === answer.code && before.msAgo >= trustTentativeFailureAfterMs;
  return isSeenTwice && reported.msAgo >= confirmPatienceMs;
}
