/**
 * Decides on a payment from everything known about it, and from the provider's answer where it is polled. This file
 * writes nothing.
 */
import type { NewCase } from '../../controls/cases';
import type { ReviewCause } from '../../domain/commands';
import type { ProviderResult } from '../../domain/outcome';
import { isSettled } from '../../domain/payment';
import type { PaymentsContext } from '../../rail-kit/context';
import { referenceOf, type Reading } from '../../rail-kit/provider-events';
import { accountOf, operationOf, type Operation } from '../../rail-kit/rail';
import type { PaymentRow } from '../../store/tables';
import { creationTimeOf, msSince } from '../read/payment-clock';
import { getWithUnread } from '../read/payments';
import { queryProvider, reportedReferences, type Question, type Reported } from '../submit/query-provider';
import { trusted } from '../submit/stopped-accounts';
import type { Decision } from '../transition/outcome-decision';
import { withoutOwnRefunds } from '../transition/own-refunds';
import { isCheckOverdue } from '../transition/plan-check';
import { paidAgainDetail, warnedAtDetail, warnedBefore, isWarned } from '../transition/warning-details';
import { decide, wantsAnswer, disowningOf, type Facts } from './decide';
import { isRepetition } from './inbox';

export interface ReviewRequest extends Question {
  paymentId: string;
}

export interface Assessed {
  payment: PaymentRow;
  operation: Operation;
  providerEvents: Reading[];
  /** Notifications whose references were not polled this time. */
  leftFor: string[];
  /** True when the provider itself was polled. */
  isAsked: boolean;
  /** There is no usable answer: the provider gave none, or the concurrency limit prevented the call. */
  unanswered: boolean;
  /** Absent where the provider must be polled again with a longer timeout before a decision. */
  decided?: Decision;
}

export async function assess(context: PaymentsContext, request: ReviewRequest): Promise<Assessed> {
  const { payment, operation, providerEvents } = await load(context, request.paymentId);
  const reported = await reportedReferences(context, payment, providerEvents);
  const seen = {
    ...factsOf(payment, providerEvents, operation, causeOf(payment, request), reported),
    disowning: disowningOf(payment, accountOf(context.rails.get(payment.rail), payment), context.timeScale),
  };
  const {
    answer,
    reference,
    leftFor = [],
  } = wantsAnswer(seen)
    ? await queryProvider(context, payment, providerEvents, operation, reported, request)
    : { answer: undefined };
  // From here on, only reports about the reference that the provider has confirmed count.
  const facts =
    reference === undefined
      ? seen
      : { ...seen, providerEvents: eventFactsOf(providerEvents, reported, reference) };
  const isAsked = answer !== undefined && answer !== 'busy';
  const unanswered = answer === 'busy' || answer?.kind === 'unknown';
  const considered = { payment, operation, providerEvents, leftFor, isAsked, unanswered };
  // A poll without an answer is repeated with a longer timeout before any decision.
  if (unanswered && !request.patient) return considered;

  const shown = answer === 'busy' ? undefined : await withoutOwnRefunds(context.db, payment, answer);
  const believable = await trusted(context, payment, shown);
  const onTimeout = operation.uncertainty.onTimeout(payment, believable);
  return {
    ...considered,
    decided: withReused(decide({ ...facts, answer: believable, onTimeout }), reported),
  };
}

/** True when the decision writes nothing. */
export function isIdle({ outcome, enrichment, read, cases, remember, unknownToProvider }: Decision): boolean {
  const isSilent = read.length === 0 && cases.length === 0 && remember === undefined;
  return isSilent && !outcome && !enrichment && !unknownToProvider;
}

/** A payment with an overdue check needs a poll: reading its rows again is not enough. */
function causeOf(payment: PaymentRow, { cause }: ReviewRequest): ReviewCause {
  return cause === 'notification' && isCheckOverdue(payment) ? 'check' : cause;
}

async function load({ db, rails }: PaymentsContext, paymentId: string) {
  const { payment, inbox } = await getWithUnread(db, paymentId);
  const operation = operationOf(rails.get(payment.rail), payment);
  const providerEvents = inbox.map((row): Reading => ({
    row,
    providerResult: operation.readNotification(row),
  }));
  return { payment, operation, providerEvents };
}

function factsOf(
  payment: PaymentRow,
  providerEvents: Reading[],
  operation: Operation,
  cause: ReviewCause,
  reported: Reported[],
): Omit<Facts, 'answer' | 'disowning'> {
  const { tentative_code: code, tentative_at: at } = payment.details;
  return {
    state: payment.state,
    instructedMinor: BigInt(payment.instructed_minor),
    instructedCurrency: payment.instructed_currency,
    confirmedMinor: payment.confirmed_minor === null ? undefined : BigInt(payment.confirmed_minor),
    returnedMinor: BigInt(payment.returned_minor),
    refundedMinor: BigInt(payment.refunded_minor),
    isDisputed: payment.details[warnedAtDetail] !== undefined,
    warnedBefore: warnedBefore(payment),
    wasPaidAgain: payment.details[paidAgainDetail] !== undefined,
    receipt: payment.provider_receipt ?? undefined,
    isNamed: payment.provider_reference !== null,
    failureCode: payment.failure_code ?? undefined,
    providerEvents: eventFactsOf(providerEvents, reported, payment.provider_reference),
    cause,
    msSinceCreation: msSince(payment, creationTimeOf(payment)),
    tentative: code && at ? { code, msAgo: msSince(payment, new Date(at)) } : undefined,
    notificationsAreTrusted: operation.notificationsAreTrusted,
    ...operation.uncertainty,
    onTimeout: operation.uncertainty.onTimeout(payment),
    watchedAfterSuccess: (operation.policy.afterSuccessChecksMs ?? []).length > 0,
    confirmPatienceMs: operation.policy.confirmDelaysMs.reduce((sum, delay) => sum + delay, 0),
  };
}

function eventFactsOf(
  providerEvents: Reading[],
  reported: Reported[],
  known: string | null,
): Facts['providerEvents'] {
  return providerEvents.map(({ row, providerResult }) => ({
    inboxId: row.inbox_id,
    providerResult: aboutThis(known, reported, providerResult),
    isProven: row.follow_at === null,
    msAgo: Date.now() - row.received_at.getTime(),
    isRepetition: isRepetition(row),
  }));
}

/**
 * A notification that came before we knew our own reference may be about another payment: then it says nothing about
 * this one.
 */
function aboutThis(
  known: string | null,
  reported: Reported[],
  providerResult: ProviderResult,
): ProviderResult {
  const named = referenceOf(providerResult);
  const isAnothers = reported.some(({ reference, isAnothers }) => isAnothers && reference === named);
  const isThis = named === undefined || (known === null ? !isAnothers : named === known);
  return isThis ? providerResult : { kind: 'unknown', text: `the event concerns ${named}` };
}

/** A report names another payment's reference for this one: an operator gets a case. */
function withReused(decision: Decision, reported: Reported[]): Decision {
  const cases = reported
    .filter(({ isAnothers }) => isAnothers)
    .map(({ reference }): NewCase => ({ reason: 'reference_reused', detail: `reference ${reference}` }));
  return cases.length === 0 ? decision : { ...decision, cases: [...decision.cases, ...cases] };
}

/**
 * A dry-run poll: would a review change this payment? It polls the provider and writes nothing. `changed`: there is
 * something to decide, or a dry run cannot decide it.
 */
export async function dryRunPoll(
  context: PaymentsContext,
  payment: PaymentRow,
): Promise<'same' | 'changed' | 'unanswered'> {
  if (await isForWorkflow(context, payment)) return 'changed';
  const { unanswered, decided } = await assess(context, {
    paymentId: payment.payment_id,
    cause: 'check',
    patient: true,
    ask: (_rail, call) => call(),
  });
  if (unanswered) return 'unanswered';
  return decided && isIdle(decided) && !decided.unconfirmed ? 'same' : 'changed';
}

/** Whether its workflow has to review it, whatever the provider answers. */
export async function isForWorkflow({ db, rails }: PaymentsContext, payment: PaymentRow): Promise<boolean> {
  const { policy } = operationOf(rails.get(payment.rail), payment);
  const isWatched = isSettled(payment.state) && policy.afterSuccessChecksMs !== undefined;
  // Every review recalculates the reserve of a payment with a warning.
  if (!isWatched || isWarned(payment)) return true;
  const { payment_id: paymentId } = payment;
  const unread = await db('inbox').where({ payment_id: paymentId, state: 'new' }).first('inbox_id');
  return unread !== undefined;
}
