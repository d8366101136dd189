/**
 * What to make of everything known about one payment. A pure function: every rule about evidence, precedence and
 * doubt is here, and nowhere else. Success needs a positive match; unknown is never a failure; the money really paid
 * is what counts; a terminal success is never overwritten.
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

/** What is known of a payment, and what its operation does in doubt. */
export interface Facts extends Omit<InDoubt, 'whenSilent'> {
  state: PaymentState;
  instructedMinor: bigint;
  instructedCurrency: string;
  confirmedMinor: bigint | undefined;
  /** Minor units of it that went back already. */
  givenBackMinor: bigint;
  /** Minor units of it that refunds of ours gave back beside these. */
  refundedMinor: bigint;
  /** Whether a provider has warned of it: what was taken back in a dispute may be paid once more. */
  isContested: boolean;
  /** What the warnings before have left in its details. */
  warnedBefore: WarnedBefore;
  /** Whether it was paid once more already, after it had gone back. */
  wasPaidAgain: boolean;
  receipt: string | undefined;
  /** Whether we know the provider's reference; without it, nothing that is reported names this payment for certain. */
  isNamed: boolean;
  /** Our own reason of the present state, such as OUTCOME_UNKNOWN. */
  failureCode: string | undefined;
  /** Stored notifications nobody acted upon yet, oldest first. */
  notices: Notice[];
  /** What the provider said when asked just now; undefined when it was not asked. */
  answer: Finding | undefined;
  cause: ReviewCause;
  msSinceAcceptance: number;
  /** A tentative failure seen before, and how long ago. */
  tentative: { code: string; msAgo: number } | undefined;
  notificationsAreProof: boolean;
  /** What the silence of this payment means, after what its provider has just said. */
  whenSilent: ReturnType<InDoubt['whenSilent']>;
  /** Whether what succeeded is looked at again, because it may be taken back, or come back. */
  watchedAfterSuccess: boolean;
  /** How long a failure that was reported without proof is asked about while the provider says something else. */
  confirmPatienceMs: number;
  disowning: Disowning;
}

const ends: readonly ReviewCause[] = ['deadline', 'watch_end'];

/** Whether the provider should be asked before deciding. What is proven needs no question, what is not is only a reason for one. */
export function wantsAnswer(facts: Omit<Facts, 'answer'>): boolean {
  const hinted = facts.notices.some(({ finding }) => finding.kind === 'hint');
  if (isSettled(facts.state)) {
    return hinted || (facts.watchedAfterSuccess && facts.cause !== 'notification');
  }
  if (successOf(facts.notices)) return !facts.notificationsAreProof;
  // A reference of its own may be learnt from what says nothing else.
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
  // It is paid first and given back next, so that the books tell both.
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
    // Nothing cannot be booked, so a success of nothing is a person's to judge.
    if (facts.whenAmountDiffers === 'open_case' || amountMinor === 0n) {
      const enrichment = arrivedOtherwise(facts, finding, amountMinor, facts.instructedCurrency);
      return { read, cases, unconfirmed: false, ...enrichment };
    }
  }
  return { outcome: { to: 'succeeded', amountMinor, finding, by }, read, cases, unconfirmed: false };
}

const amountOf = (facts: Facts, { amountMinor }: Success): bigint => amountMinor ?? facts.instructedMinor;

/** Kept with the payment, so that nobody is asked to pay what is there. Of nothing, nothing has arrived. */
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
  // A published timeout is only replaced by what was reported and is confirmed.
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

/** The payment is still open: it follows what the provider says it is doing, or is given up when nobody says. */
function goOn(facts: Facts): Decision {
  // What may still be cancelled is not called begun by somebody who proves nothing.
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

/** Only the provider's own answer tells what a payment is called there. */
function withoutReference({ providerReference: _, ...open }: Open): Open {
  return open;
}

/** Nobody told us in time. Published as a timeout and watched on, because the money may still arrive. */
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
  // Nobody has ever told what became of it: the money may have moved unseen.
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

// A provider that does not know what it has told of before. One such answer may be a slip; a second one, at another
// look, is a person's question, once: it is asked again only after the provider has known the payment in between. Pure.

/** The detail that keeps since when the provider disowns a payment, or that a person was asked; empty once it is known. */
const disownedDetail = 'disowned';
const asked = 'asked';
/** Between the two answers at the least. */
const againAfterMs = 30_000;

/** What its case says from then on: a person still has to close it. */
export const knownAgain = 'the provider knew it again later';

export interface Disowning {
  /** The rail that has the account at the provider. */
  account: string;
  /** Undefined while the provider knows the payment. */
  seen: typeof asked | { msAgo: number } | undefined;
  /** How long ago the first answer must be, so that another one counts. */
  againAfterMs: number;
}

export function disowningOf(payment: PaymentRow, account: string, timeScale: number): Disowning {
  const { [disownedDetail]: kept = '' } = payment.details;
  const seen = kept === asked ? kept : kept === '' ? undefined : { msAgo: msSince(payment, new Date(kept)) };
  return { account, seen, againAfterMs: againAfterMs / timeScale };
}

/** What is kept with the payment of what was learnt. */
export function disownedDetails(payment: PaymentRow, learnt: Disowned): Record<string, string> {
  const kept = { seen: new Date(nowOf(payment)).toISOString(), asked, known: '' };
  return { [disownedDetail]: kept[learnt] };
}

/** Whether the payment stands as it did when it was read. */
export function isDisownedAlike(one: PaymentRow['details'], other: PaymentRow['details']): boolean {
  return (one[disownedDetail] ?? '') === (other[disownedDetail] ?? '');
}

/** Only an answer to our own question counts, so that no stranger stops what goes through the account. */
function aboutDisowning({ answer, disowning }: Facts, decision: Decision): Decision {
  const { account, seen } = disowning;
  if (answer === undefined || answer.kind === 'unknown') return decision;
  if (answer.kind === 'failed' && answer.neverReceived) return decision;
  if (answer.kind !== 'open' || !answer.disowned) {
    // The process beside this one may have the wrong token still: what is stopped stays so until a person decides.
    return seen === undefined ? decision : { ...decision, disowned: 'known' };
  }
  if (seen === asked) return decision;
  // The second answer is asked for soon.
  if (seen === undefined) return { ...decision, disowned: 'seen', unconfirmed: true };
  if (seen.msAgo < disowning.againAfterMs) return { ...decision, unconfirmed: true };
  const found = { reason: 'provider_disowns', detail: answer.text ?? '', stops: account } as const;
  return { ...decision, disowned: 'asked', cases: [...decision.cases, found] };
}

/**
 * An unsigned report tells what the answer leaves out, and nothing else: what the provider says when asked is booked,
 * whatever figure somebody has reported. Of two currencies the one we did not ask for counts, so that a person looks.
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
