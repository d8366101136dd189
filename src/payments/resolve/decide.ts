/**
 * Decides from everything known about one payment. A pure function: every rule about provider results, precedence and
 * uncertainty is here, and nowhere else. A success needs a positive match. Unknown is never a failure. The amount
 * that was really paid is booked. A final success is never overwritten.
 */
import type { NewCase } from '../../controls/cases';
import type { ReviewCause } from '../../domain/commands';
import type { ProviderResult } from '../../domain/outcome';
import {
  OUTCOME_UNKNOWN,
  entrancesOf,
  isFinal,
  isSettled,
  paidOtherwise,
  type PaymentState,
} from '../../domain/payment';
import type { PaymentRow } from '../../store/tables';
import type { Success, Open, Decision, UnknownToProvider } from '../transition/outcome-decision';
import type { WarnedBefore } from '../transition/warning-details';
import type { UncertaintyPolicy } from '../../rail-kit/uncertainty';
import {
  isReturned,
  isFailure,
  referenceOf,
  successOf,
  withoutUnverified,
  type Failure,
  type ProviderEvent,
} from '../../rail-kit/provider-events';
import { msSince, nowOf } from '../read/payment-clock';
import { afterSuccess, contradicted, asFailure, paidBefore } from './after-settlement';
import {
  onOverReported,
  overReportedIn,
  onUnverifiedEvents,
  aboutWarnings,
  aboutReportedFailures,
  casesOf,
  failByEvent,
  isAgreedUpon,
  canFail,
  reportedFailure,
  unconfirmed,
} from './unverified-events';

/** The facts about a payment, and its operation's uncertainty policy. */
export interface Facts extends Omit<UncertaintyPolicy, 'onTimeout'> {
  state: PaymentState;
  instructedMinor: bigint;
  instructedCurrency: string;
  confirmedMinor: bigint | undefined;
  /** Minor units of it that the provider has already given back. */
  returnedMinor: bigint;
  /** Minor units that our own refunds have given back, in addition to these. */
  refundedMinor: bigint;
  /** Whether a provider has warned of it: money that was taken back in a dispute may be paid again. */
  isDisputed: boolean;
  /** What earlier warnings have left in its details. */
  warnedBefore: WarnedBefore;
  /** Whether it was already paid again after money had gone back. */
  wasPaidAgain: boolean;
  receipt: string | undefined;
  /** Whether we know the provider's reference. Without it, no report names this payment for certain. */
  isNamed: boolean;
  /** Our own reason for the present state, such as OUTCOME_UNKNOWN. */
  failureCode: string | undefined;
  /** Stored notifications without a decision, oldest first. */
  providerEvents: ProviderEvent[];
  /** The provider's answer to the poll just now; undefined when it was not polled. */
  answer: ProviderResult | undefined;
  cause: ReviewCause;
  msSinceCreation: number;
  /** A tentative failure seen before, and its age. */
  tentative: { code: string; msAgo: number } | undefined;
  notificationsAreTrusted: boolean;
  /** What to do on a timeout of this payment, given the provider's last answer. */
  onTimeout: ReturnType<UncertaintyPolicy['onTimeout']>;
  /** Whether a success is checked again, because the money may be taken back or returned. */
  watchedAfterSuccess: boolean;
  /** How long we poll after an unproven failure report that the provider does not confirm. */
  confirmPatienceMs: number;
  disowning: Disowning;
}

const ends: readonly ReviewCause[] = ['deadline', 'watch_end'];

/**
 * Whether the provider should be polled before the decision. A proven report needs no poll. An unproven report is
 * only a reason for one.
 */
export function wantsAnswer(facts: Omit<Facts, 'answer'>): boolean {
  const hinted = facts.providerEvents.some(({ providerResult }) => providerResult.kind === 'unverified');
  if (isSettled(facts.state)) {
    return hinted || (facts.watchedAfterSuccess && facts.cause !== 'notification');
  }
  if (successOf(facts.providerEvents)) return !facts.notificationsAreTrusted;
  // A notification without a status may still contain the provider's reference.
  const isCalled =
    !facts.isNamed &&
    facts.providerEvents.some(({ providerResult }) => referenceOf(providerResult) !== undefined);
  const failure = reportedFailure(facts);
  if (failure) return !facts.notificationsAreTrusted && canFail(facts, failure.providerResult);
  return hinted || isCalled || facts.cause !== 'notification';
}

export function decide(given: Facts): Decision {
  const { state, answer } = given;
  const isNew = answer?.kind === 'returned' && !isSettled(state);
  const facts = isNew ? { ...given, answer: asFailure(answer) } : given;
  const decision = aboutReportedFailures(facts, decideOn(facts));
  return aboutDisowning(facts, aboutWarnings(facts, onUnverifiedEvents(facts, decision)));
}

function decideOn(facts: Facts): Decision {
  if (isSettled(facts.state)) return afterSuccess(facts);
  // The success is booked first and the refund next, so that the books show both.
  if (isReturned(facts.answer)) {
    const decision = settle(facts, paidBefore(facts.answer), 'query');
    return { ...decision, unconfirmed: decision.outcome !== undefined };
  }
  const reported = successOf(facts.providerEvents);
  const confirmation = facts.answer?.kind === 'succeeded' ? facts.answer : undefined;
  if (reported && facts.notificationsAreTrusted) return settle(facts, reported.providerResult, 'callback');
  if (reported && confirmation) return settleReported(facts, confirmation);
  if (confirmation) return settle(facts, confirmation, 'query');
  if (reported) return unconfirmed(facts, reported, ends.includes(facts.cause));

  const failure = reportedFailure(facts);
  const decides = failure && (facts.notificationsAreTrusted || !canFail(facts, failure.providerResult));
  if (decides) return failByEvent(facts, failure, nothing(facts));
  if (facts.answer && isFailure(facts.answer)) return failByAnswer(facts, facts.answer);
  return goOn(facts);
}

function settleReported(facts: Facts, answer: Success): Decision {
  const { providerEvents, instructedMinor, instructedCurrency } = facts;
  const overReported = overReportedIn(facts, instructedMinor, answer);
  const trusted = successOf(providerEvents.filter((providerEvent) => !overReported.includes(providerEvent)));
  const decision = trusted
    ? settle(facts, inOwnWords(trusted.providerResult, answer, instructedCurrency), 'callback')
    : settle(facts, answer, 'query');
  return onOverReported(decision, overReported, instructedMinor);
}

function settle(facts: Facts, providerResult: Success, by: 'callback' | 'query'): Decision {
  const read = withoutUnverified(facts.providerEvents).map(({ inboxId, providerResult: found }) =>
    found.kind === 'succeeded'
      ? { inboxId, state: 'applied' as const, reason: 'success' }
      : { inboxId, state: 'ignored' as const, reason: `${found.kind} beside a success` },
  );
  const cases: NewCase[] = [];
  const contradiction = facts.providerEvents.find((providerEvent) => isFailure(providerEvent.providerResult));
  if (contradiction) cases.push(contradicted(`inbox ${contradiction.inboxId}`, contradiction.providerResult));
  if (providerResult.currency !== undefined && providerResult.currency !== facts.instructedCurrency) {
    const detail = `requested ${facts.instructedCurrency}, confirmed ${providerResult.currency}`;
    const enrichment = arrivedOtherwise(
      facts,
      providerResult,
      amountOf(facts, providerResult),
      providerResult.currency,
    );
    return {
      read,
      cases: [...cases, { reason: 'currency_differs', detail }],
      unconfirmed: false,
      ...enrichment,
    };
  }
  if (isFinal(facts.state) && facts.whenSuccessIsLate === 'open_case') {
    cases.push({ reason: 'late_success', detail: `${by}: ${providerResult.code} ${providerResult.text}` });
    return { read, cases, unconfirmed: false };
  }
  const amountMinor = amountOf(facts, providerResult);
  if (amountMinor !== facts.instructedMinor) {
    cases.push({
      reason: 'amount_differs',
      detail: `requested ${String(facts.instructedMinor)}, confirmed ${String(amountMinor)} minor units`,
    });
    // A zero amount cannot be booked, so an operator judges a success of zero.
    if (facts.whenAmountDiffers === 'open_case' || amountMinor === 0n) {
      const enrichment = arrivedOtherwise(facts, providerResult, amountMinor, facts.instructedCurrency);
      return { read, cases, unconfirmed: false, ...enrichment };
    }
  }
  return { outcome: { to: 'succeeded', amountMinor, providerResult, by }, read, cases, unconfirmed: false };
}

const amountOf = (facts: Facts, { amountMinor }: Success): bigint => amountMinor ?? facts.instructedMinor;

/**
 * The amount that arrived, stored with the payment so that the customer is not asked to pay it again. A zero amount
 * is not stored.
 */
function arrivedOtherwise(
  facts: Facts,
  { code, text }: Success,
  amountMinor: bigint,
  currency: string,
): Pick<Decision, 'enrichment'> {
  if (amountMinor === 0n || isFinal(facts.state)) return {};
  const details = { [paidOtherwise]: `${String(amountMinor)} ${currency}` };
  return { enrichment: { kind: 'open', text: text || code, details } };
}

function failByAnswer(facts: Facts, answer: Failure): Decision {
  const isAgreed = isAgreedUpon(facts, answer);
  const isDue = facts.msSinceCreation >= facts.trustQueriedFailureAfterMs || ends.includes(facts.cause);
  // A published timeout is only replaced by a reported and confirmed failure.
  const open = canFail(facts, answer) && (isAgreed || facts.state !== 'timed_out');
  if (!(isAgreed || isDue) || !open) return goOn(facts);
  if (answer.tentative && !isAgreed) {
    const seen = facts.tentative?.code === answer.code;
    if (!seen) return { ...goOn(facts), remember: answer.code };
    if (facts.tentative && facts.tentative.msAgo < facts.trustTentativeFailureAfterMs) return goOn(facts);
  }
  return {
    ...nothing(facts),
    outcome: { to: answer.kind, providerResult: answer, by: 'query' },
    cases: casesOf(answer),
  };
}

/** The payment stays open. It follows the provider's status, or times out when there is none. */
function goOn(facts: Facts): Decision {
  // An unproven report cannot move a payment that may still be cancelled out of `queued`.
  const isHeard = facts.notificationsAreTrusted || facts.state !== 'queued';
  const openResults = facts.providerEvents.flatMap(({ providerResult }) =>
    providerResult.kind === 'open' && isHeard ? [withoutReference(providerResult)] : [],
  );
  const answer = facts.answer?.kind === 'open' ? facts.answer : undefined;
  const providerResult = [...openResults, ...(answer ? [answer] : [])].at(-1);
  const by = providerResult === answer ? 'query' : 'callback';
  const decision = { ...nothing(facts), ...gaveUp(facts) };
  if (decision.outcome || !providerResult) return decision;
  if (providerResult.as && entrancesOf(providerResult.as).includes(facts.state)) {
    return { ...decision, outcome: { to: providerResult.as, providerResult, by } };
  }
  return providerResult.providerReference || providerResult.details
    ? { ...decision, enrichment: providerResult }
    : decision;
}

/** Only the provider's own answer sets the provider's reference. */
function withoutReference({ providerReference: _, ...open }: Open): Open {
  return open;
}

/** No result came in time. It is published as a timeout and still checked, because the money may still arrive. */
function gaveUp(facts: Facts): Pick<Decision, 'outcome'> & Partial<Pick<Decision, 'cases'>> {
  const waits = facts.onTimeout === 'wait' && facts.cause === 'deadline';
  if (waits || !ends.includes(facts.cause)) return {};
  if (facts.onTimeout !== 'time_out') {
    if (isFinal(facts.state)) return {};
    return { cases: [{ reason: 'no_outcome', detail: `still ${facts.state} when status checks ended` }] };
  }
  if (!entrancesOf('timed_out').includes(facts.state)) return {};
  const providerResult: Failure = {
    kind: 'timed_out',
    code: OUTCOME_UNKNOWN,
    text: facts.silenceText ?? 'The provider did not report in time whether the customer paid',
  };
  // The provider never reported anything about it: the money may have moved without our knowledge.
  const isUnseen = !facts.isNamed && facts.whenAnswerLost !== 'send_anew';
  const detail = `requested: ${String(facts.instructedMinor)} minor units of ${facts.instructedCurrency}`;
  return {
    outcome: { to: 'timed_out', providerResult, by: 'deadline' },
    ...(isUnseen ? { cases: [{ reason: 'submission_unknown', detail }] } : {}),
  };
}

function nothing(facts: Facts): Decision {
  const dull = facts.providerEvents.filter(
    ({ providerResult }) => providerResult.kind === 'open' || providerResult.kind === 'unknown',
  );
  return {
    read: dull.map(({ inboxId, providerResult }) => ({
      inboxId,
      state: 'ignored',
      reason: `reports ${providerResult.kind}`,
    })),
    cases: [],
    unconfirmed: false,
  };
}

// The provider does not know a payment that it reported before. One such answer may be an error. A second one, in a
// later check, opens one case. The next case needs a check in between in which the provider knew the payment. Pure.

/**
 * The detail that stores since when the payment is unknown to its provider, or that a case was opened; empty once the
 * provider knows it.
 */
const unknownToProviderDetail = 'unknown_to_provider';
const asked = 'asked';
/** The least time between the two answers. */
const againAfterMs = 30_000;

/** The note in its case from then on: an operator still has to close it. */
export const knownAgain = 'the provider later recognised the payment';

export interface Disowning {
  /** The rail that has the account at the provider. */
  account: string;
  /** Undefined while the provider knows the payment. */
  seen: typeof asked | { msAgo: number } | undefined;
  /** The age of the first answer at which another one counts. */
  againAfterMs: number;
}

export function disowningOf(payment: PaymentRow, account: string, timeScale: number): Disowning {
  const { [unknownToProviderDetail]: kept = '' } = payment.details;
  const seen = kept === asked ? kept : kept === '' ? undefined : { msAgo: msSince(payment, new Date(kept)) };
  return { account, seen, againAfterMs: againAfterMs / timeScale };
}

/** The details to store with the payment. */
export function unknownToProviderDetails(
  payment: PaymentRow,
  learnt: UnknownToProvider,
): Record<string, string> {
  const kept = { seen: new Date(nowOf(payment)).toISOString(), asked, known: '' };
  return { [unknownToProviderDetail]: kept[learnt] };
}

/** Whether this detail is the same as when the payment was read. */
export function isUnknownAlike(one: PaymentRow['details'], other: PaymentRow['details']): boolean {
  return (one[unknownToProviderDetail] ?? '') === (other[unknownToProviderDetail] ?? '');
}

/** Only an answer to our own poll counts, so that no unauthenticated caller can stop the account's payments. */
function aboutDisowning({ answer, disowning }: Facts, decision: Decision): Decision {
  const { account, seen } = disowning;
  if (answer === undefined || answer.kind === 'unknown') return decision;
  if (answer.kind === 'failed' && answer.neverReceived) return decision;
  if (answer.kind !== 'open' || !answer.unknownToProvider) {
    // Another process may still have the wrong token. The account stays stopped until an operator decides.
    return seen === undefined ? decision : { ...decision, unknownToProvider: 'known' };
  }
  if (seen === asked) return decision;
  // The second answer is polled for soon.
  if (seen === undefined) return { ...decision, unknownToProvider: 'seen', unconfirmed: true };
  if (seen.msAgo < disowning.againAfterMs) return { ...decision, unconfirmed: true };
  const found = { reason: 'unknown_to_provider', detail: answer.text ?? '', stops: account } as const;
  return { ...decision, unknownToProvider: 'asked', cases: [...decision.cases, found] };
}

/**
 * An unsigned report only adds what the answer leaves out. The provider's own answer is booked, whatever amount was
 * reported. Of two currencies the one that we did not request counts, so that an operator gets a case.
 */
function inOwnWords(reported: Success, answer: Success, instructedCurrency: string): Success {
  const { amountMinor, receipt, providerReference, details } = answer;
  const currencies = [reported.currency, answer.currency].filter((currency) => currency !== undefined);
  const currency = currencies.find((each) => each !== instructedCurrency) ?? currencies[0];
  return {
    ...reported,
    ...(amountMinor === undefined ? {} : { amountMinor }),
    ...(currency === undefined ? {} : { currency }),
    ...(receipt === undefined ? {} : { receipt }),
    ...(providerReference === undefined ? {} : { providerReference }),
    ...(details === undefined ? {} : { details: { ...reported.details, ...details } }),
  };
}
