/**
 * Decides from everything known about one payment. A pure function: every rule about provider results, precedence and
 * uncertainty is here, and nowhere else. A success needs a positive match. Unknown is never a failure. The amount
 * that was really paid is booked. A final success is never overwritten.
 */
import type { NewCase } from '../../controls/cases';
import type { ReviewCause } from '../../domain/commands';
import type { Finding } from '../../domain/outcome';
import {
  OUTCOME_UNKNOWN,
  entrancesOf,
  isFinal,
  isSettled,
  paidOtherwise,
  type PaymentState,
} from '../../domain/payment';
import type { PaymentRow } from '../../store/tables';
import type { Success, Open, Decision, Disowned } from '../transition/outcome-decision';
import type { WarnedBefore } from '../transition/warning-details';
import type { InDoubt } from '../../rail-kit/uncertainty';
import {
  isGivenBack,
  isFailure,
  referenceOf,
  successOf,
  withoutHints,
  type Failure,
  type Notice,
} from '../../rail-kit/provider-events';
import { msSince, nowOf } from '../read/payment-clock';
import { afterSuccess, contradicted, asFailure, paidBefore } from './after-settlement';
import {
  aboutExaggerations,
  exaggerationsIn,
  aboutHints,
  aboutWarnings,
  aboutReportedFailures,
  casesOf,
  failByNotice,
  isAgreedUpon,
  mayFail,
  reportedFailure,
  unconfirmed,
} from './unverified-events';

/** The facts about a payment, and its operation's uncertainty policy. */
export interface Facts extends Omit<InDoubt, 'whenSilent'> {
  state: PaymentState;
  instructedMinor: bigint;
  instructedCurrency: string;
  confirmedMinor: bigint | undefined;
  /** Minor units of it that the provider has already given back. */
  givenBackMinor: bigint;
  /** Minor units that our own refunds have given back, in addition to these. */
  refundedMinor: bigint;
  /** Whether a provider has warned of it: money that was taken back in a dispute may be paid again. */
  isContested: boolean;
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
  notices: Notice[];
  /** The provider's answer to the poll just now; undefined when it was not polled. */
  answer: Finding | undefined;
  cause: ReviewCause;
  msSinceAcceptance: number;
  /** A tentative failure seen before, and its age. */
  tentative: { code: string; msAgo: number } | undefined;
  notificationsAreProof: boolean;
  /** What to do on a timeout of this payment, given the provider's last answer. */
  whenSilent: ReturnType<InDoubt['whenSilent']>;
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
  const hinted = facts.notices.some(({ finding }) => finding.kind === 'hint');
  if (isSettled(facts.state)) {
    return hinted || (facts.watchedAfterSuccess && facts.cause !== 'notification');
  }
  if (successOf(facts.notices)) return !facts.notificationsAreProof;
  // A notification without a status may still contain the provider's reference.
  const isCalled = !facts.isNamed && facts.notices.some(({ finding }) => referenceOf(finding) !== undefined);
  const failure = reportedFailure(facts);
  if (failure) return !facts.notificationsAreProof && mayFail(facts, failure.finding);
  return hinted || isCalled || facts.cause !== 'notification';
}

export function decide(given: Facts): Decision {
  const { state, answer } = given;
  const isNews = answer?.kind === 'returned' && !isSettled(state);
  const facts = isNews ? { ...given, answer: asFailure(answer) } : given;
  const decision = aboutReportedFailures(facts, decideOn(facts));
  return aboutDisowning(facts, aboutWarnings(facts, aboutHints(facts, decision)));
}

function decideOn(facts: Facts): Decision {
  if (isSettled(facts.state)) return afterSuccess(facts);
  // The success is booked first and the refund next, so that the books show both.
  if (isGivenBack(facts.answer)) {
    const decision = settle(facts, paidBefore(facts.answer), 'query');
    return { ...decision, unconfirmed: decision.outcome !== undefined };
  }
  const reported = successOf(facts.notices);
  const confirmation = facts.answer?.kind === 'succeeded' ? facts.answer : undefined;
  if (reported && facts.notificationsAreProof) return settle(facts, reported.finding, 'callback');
  if (reported && confirmation) return settleReported(facts, confirmation);
  if (confirmation) return settle(facts, confirmation, 'query');
  if (reported) return unconfirmed(facts, reported, ends.includes(facts.cause));

  const failure = reportedFailure(facts);
  const decides = failure && (facts.notificationsAreProof || !mayFail(facts, failure.finding));
  if (decides) return failByNotice(facts, failure, nothing(facts));
  if (facts.answer && isFailure(facts.answer)) return failByAnswer(facts, facts.answer);
  return goOn(facts);
}

function settleReported(facts: Facts, answer: Success): Decision {
  const { notices, instructedMinor, instructedCurrency } = facts;
  const exaggerations = exaggerationsIn(facts, instructedMinor, answer);
  const believed = successOf(notices.filter((notice) => !exaggerations.includes(notice)));
  const decision = believed
    ? settle(facts, inOwnWords(believed.finding, answer, instructedCurrency), 'callback')
    : settle(facts, answer, 'query');
  return aboutExaggerations(decision, exaggerations, instructedMinor);
}

function settle(facts: Facts, finding: Success, by: 'callback' | 'query'): Decision {
  const read = withoutHints(facts.notices).map(({ inboxId, finding: found }) =>
    found.kind === 'succeeded'
      ? { inboxId, state: 'applied' as const, reason: 'success' }
      : { inboxId, state: 'ignored' as const, reason: `${found.kind} beside a success` },
  );
  const cases: NewCase[] = [];
  const contradiction = facts.notices.find((notice) => isFailure(notice.finding));
  if (contradiction) cases.push(contradicted(`inbox ${contradiction.inboxId}`, contradiction.finding));
  if (finding.currency !== undefined && finding.currency !== facts.instructedCurrency) {
    const detail = `asked ${facts.instructedCurrency}, confirmed ${finding.currency}`;
    const enrichment = arrivedOtherwise(facts, finding, amountOf(facts, finding), finding.currency);
    return {
      read,
      cases: [...cases, { reason: 'currency_differs', detail }],
      unconfirmed: false,
      ...enrichment,
    };
  }
  if (isFinal(facts.state) && facts.whenSuccessIsLate === 'open_case') {
    cases.push({ reason: 'late_success', detail: `${by}: ${finding.code} ${finding.text}` });
    return { read, cases, unconfirmed: false };
  }
  const amountMinor = amountOf(facts, finding);
  if (amountMinor !== facts.instructedMinor) {
    cases.push({
      reason: 'amount_differs',
      detail: `asked ${String(facts.instructedMinor)}, confirmed ${String(amountMinor)} minor units`,
    });
    // A zero amount cannot be booked, so an operator judges a success of zero.
    if (facts.whenAmountDiffers === 'open_case' || amountMinor === 0n) {
      const enrichment = arrivedOtherwise(facts, finding, amountMinor, facts.instructedCurrency);
      return { read, cases, unconfirmed: false, ...enrichment };
    }
  }
  return { outcome: { to: 'succeeded', amountMinor, finding, by }, read, cases, unconfirmed: false };
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
  const isDue = facts.msSinceAcceptance >= facts.believeQueriedFailureAfterMs || ends.includes(facts.cause);
  // A published timeout is only replaced by a reported and confirmed failure.
  const open = mayFail(facts, answer) && (isAgreed || facts.state !== 'timed_out');
  if (!(isAgreed || isDue) || !open) return goOn(facts);
  if (answer.tentative && !isAgreed) {
    const seen = facts.tentative?.code === answer.code;
    if (!seen) return { ...goOn(facts), remember: answer.code };
    if (facts.tentative && facts.tentative.msAgo < facts.believeTentativeFailureAfterMs) return goOn(facts);
  }
  return {
    ...nothing(facts),
    outcome: { to: answer.kind, finding: answer, by: 'query' },
    cases: casesOf(answer),
  };
}

/** The payment stays open. It follows the provider's status, or times out when there is none. */
function goOn(facts: Facts): Decision {
  // An unproven report cannot move a payment that may still be cancelled out of `queued`.
  const isHeard = facts.notificationsAreProof || facts.state !== 'queued';
  const told = facts.notices.flatMap(({ finding }) =>
    finding.kind === 'open' && isHeard ? [withoutReference(finding)] : [],
  );
  const answer = facts.answer?.kind === 'open' ? facts.answer : undefined;
  const finding = [...told, ...(answer ? [answer] : [])].at(-1);
  const by = finding === answer ? 'query' : 'callback';
  const decision = { ...nothing(facts), ...gaveUp(facts) };
  if (decision.outcome || !finding) return decision;
  if (finding.as && entrancesOf(finding.as).includes(facts.state)) {
    return { ...decision, outcome: { to: finding.as, finding, by } };
  }
  return finding.providerReference || finding.details ? { ...decision, enrichment: finding } : decision;
}

/** Only the provider's own answer sets the provider's reference. */
function withoutReference({ providerReference: _, ...open }: Open): Open {
  return open;
}

/** No result came in time. It is published as a timeout and still checked, because the money may still arrive. */
function gaveUp(facts: Facts): Pick<Decision, 'outcome'> & Partial<Pick<Decision, 'cases'>> {
  const waits = facts.whenSilent === 'wait' && facts.cause === 'deadline';
  if (waits || !ends.includes(facts.cause)) return {};
  if (facts.whenSilent !== 'time_out') {
    if (isFinal(facts.state)) return {};
    return { cases: [{ reason: 'no_outcome', detail: `still ${facts.state} when the watch ended` }] };
  }
  if (!entrancesOf('timed_out').includes(facts.state)) return {};
  const finding: Failure = {
    kind: 'timed_out',
    code: OUTCOME_UNKNOWN,
    text: facts.silenceText ?? 'The provider did not say in time whether the customer paid',
  };
  // The provider never reported anything about it: the money may have moved without our knowledge.
  const isUnseen = !facts.isNamed && facts.whenAnswerLost !== 'send_anew';
  const detail = `${String(facts.instructedMinor)} minor units of ${facts.instructedCurrency} were asked for`;
  return {
    outcome: { to: 'timed_out', finding, by: 'deadline' },
    ...(isUnseen ? { cases: [{ reason: 'instruction_unknown', detail }] } : {}),
  };
}

function nothing(facts: Facts): Decision {
  const dull = facts.notices.filter(({ finding }) => finding.kind === 'open' || finding.kind === 'unknown');
  return {
    read: dull.map(({ inboxId, finding }) => ({
      inboxId,
      state: 'ignored',
      reason: `says ${finding.kind}`,
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
const disownedDetail = 'disowned';
const asked = 'asked';
/** The least time between the two answers. */
const againAfterMs = 30_000;

/** The note in its case from then on: an operator still has to close it. */
export const knownAgain = 'the provider knew it again later';

export interface Disowning {
  /** The rail that has the account at the provider. */
  account: string;
  /** Undefined while the provider knows the payment. */
  seen: typeof asked | { msAgo: number } | undefined;
  /** The age of the first answer at which another one counts. */
  againAfterMs: number;
}

export function disowningOf(payment: PaymentRow, account: string, timeScale: number): Disowning {
  const { [disownedDetail]: kept = '' } = payment.details;
  const seen = kept === asked ? kept : kept === '' ? undefined : { msAgo: msSince(payment, new Date(kept)) };
  return { account, seen, againAfterMs: againAfterMs / timeScale };
}

/** The details to store with the payment. */
export function disownedDetails(payment: PaymentRow, learnt: Disowned): Record<string, string> {
  const kept = { seen: new Date(nowOf(payment)).toISOString(), asked, known: '' };
  return { [disownedDetail]: kept[learnt] };
}

/** Whether this detail is the same as when the payment was read. */
export function isDisownedAlike(one: PaymentRow['details'], other: PaymentRow['details']): boolean {
  return (one[disownedDetail] ?? '') === (other[disownedDetail] ?? '');
}

/** Only an answer to our own poll counts, so that no unauthenticated caller can stop the account's payments. */
function aboutDisowning({ answer, disowning }: Facts, decision: Decision): Decision {
  const { account, seen } = disowning;
  if (answer === undefined || answer.kind === 'unknown') return decision;
  if (answer.kind === 'failed' && answer.neverReceived) return decision;
  if (answer.kind !== 'open' || !answer.disowned) {
    // Another process may still have the wrong token. The account stays stopped until an operator decides.
    return seen === undefined ? decision : { ...decision, disowned: 'known' };
  }
  if (seen === asked) return decision;
  // The second answer is polled for soon.
  if (seen === undefined) return { ...decision, disowned: 'seen', unconfirmed: true };
  if (seen.msAgo < disowning.againAfterMs) return { ...decision, unconfirmed: true };
  const found = { reason: 'provider_disowns', detail: answer.text ?? '', stops: account } as const;
  return { ...decision, disowned: 'asked', cases: [...decision.cases, found] };
}

/**
 * An unsigned report only adds what the answer leaves out. The provider's own answer is booked, whatever amount was
 * reported. Of two currencies the one that we did not request counts, so that an operator gets a case.
 */
function inOwnWords(reported: Success, answer: Success, instructedCurrency: string): Success {
  const { amountMinor, receipt, providerReference, details } = answer;
  const told = [reported.currency, answer.currency].filter((currency) => currency !== undefined);
  const currency = told.find((each) => each !== instructedCurrency) ?? told[0];
  return {
    ...reported,
    ...(amountMinor === undefined ? {} : { amountMinor }),
    ...(currency === undefined ? {} : { currency }),
    ...(receipt === undefined ? {} : { receipt }),
    ...(providerReference === undefined ? {} : { providerReference }),
    ...(details === undefined ? {} : { details: { ...reported.details, ...details } }),
  };
}
