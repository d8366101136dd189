/**
 * Decides on a payment from everything known about it, and from the provider's answer where it is polled. This file
 * writes nothing.
 */
import type { NewCase } from '../../controls/cases';
import type { ReviewCause } from '../../domain/commands';
import type { Finding } from '../../domain/outcome';
import { isSettled } from '../../domain/payment';
import type { PaymentsContext } from '../../rail-kit/context';
import { referenceOf, type Reading } from '../../rail-kit/provider-events';
import { accountOf, operationOf, type Operation } from '../../rail-kit/rail';
import type { PaymentRow } from '../../store/tables';
import { acceptanceOf, msSince } from '../read/payment-clock';
import { getWithNews } from '../read/payments';
import { askProvider, reportedReferences, type Question, type Reported } from '../submit/ask-provider';
import { believed } from '../submit/stopped-accounts';
import type { Decision } from '../transition/outcome-decision';
import { withoutOwnRefunds } from '../transition/own-refunds';
import { isCheckOverdue } from '../transition/plan-check';
import { paidAgainDetail, warnedAtDetail, warnedBefore, isWarned } from '../transition/warning-details';
import { decide, wantsAnswer, disowningOf, type Facts } from './decide';
import { isRepetition } from './inbox';

export interface ReviewRequest extends Question {
  paymentId: string;
}

export interface Considered {
  payment: PaymentRow;
  operation: Operation;
  notices: Reading[];
  /** Notifications whose references were not polled this time. */
  leftFor: string[];
  /** True when the provider itself was polled. */
  isAsked: boolean;
  /** There is no usable answer: the provider gave none, or the concurrency limit prevented the call. */
  unanswered: boolean;
  /** Absent where the provider must be polled again with a longer timeout before a decision. */
  decided?: Decision;
}

export async function consider(context: PaymentsContext, request: ReviewRequest): Promise<Considered> {
  const { payment, operation, notices } = await load(context, request.paymentId);
  const reported = await reportedReferences(context, payment, notices);
  const seen = {
    ...factsOf(payment, notices, operation, causeOf(payment, request), reported),
    disowning: disowningOf(payment, accountOf(context.rails.get(payment.rail), payment), context.timeScale),
  };
  const {
    answer,
    reference,
    leftFor = [],
  } = wantsAnswer(seen)
    ? await askProvider(context, payment, notices, operation, reported, request)
    : { answer: undefined };
  // From here on, only reports about the reference that the provider has confirmed count.
  const facts =
    reference === undefined ? seen : { ...seen, notices: noticesOf(notices, reported, reference) };
  const isAsked = answer !== undefined && answer !== 'busy';
  const unanswered = answer === 'busy' || answer?.kind === 'unknown';
  const considered = { payment, operation, notices, leftFor, isAsked, unanswered };
  // A poll without an answer is repeated with a longer timeout before any decision.
  if (unanswered && !request.patient) return considered;

  const shown = answer === 'busy' ? undefined : await withoutOwnRefunds(context.db, payment, answer);
  const told = await believed(context, payment, shown);
  const whenSilent = operation.inDoubt.whenSilent(payment, told);
  return { ...considered, decided: withReused(decide({ ...facts, answer: told, whenSilent }), reported) };
}

/** True when the decision writes nothing. */
export function isIdle({ outcome, enrichment, read, cases, remember, disowned }: Decision): boolean {
  const isSilent = read.length === 0 && cases.length === 0 && remember === undefined;
  return isSilent && !outcome && !enrichment && !disowned;
}

/** A payment with an overdue check needs a poll: reading its rows again is not enough. */
function causeOf(payment: PaymentRow, { cause }: ReviewRequest): ReviewCause {
  return cause === 'notification' && isCheckOverdue(payment) ? 'check' : cause;
}

async function load({ db, rails }: PaymentsContext, paymentId: string) {
  const { payment, inbox } = await getWithNews(db, paymentId);
  const operation = operationOf(rails.get(payment.rail), payment);
  const notices = inbox.map((row): Reading => ({ row, finding: operation.readNotification(row) }));
  return { payment, operation, notices };
}

function factsOf(
  payment: PaymentRow,
  notices: Reading[],
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
    givenBackMinor: BigInt(payment.given_back_minor),
    refundedMinor: BigInt(payment.refunded_minor),
    isContested: payment.details[warnedAtDetail] !== undefined,
    warnedBefore: warnedBefore(payment),
    wasPaidAgain: payment.details[paidAgainDetail] !== undefined,
    receipt: payment.provider_receipt ?? undefined,
    isNamed: payment.provider_reference !== null,
    failureCode: payment.failure_code ?? undefined,
    notices: noticesOf(notices, reported, payment.provider_reference),
    cause,
    msSinceAcceptance: msSince(payment, acceptanceOf(payment)),
    tentative: code && at ? { code, msAgo: msSince(payment, new Date(at)) } : undefined,
    notificationsAreProof: operation.notificationsAreProof,
    ...operation.inDoubt,
    whenSilent: operation.inDoubt.whenSilent(payment),
    watchedAfterSuccess: (operation.policy.afterSuccessChecksMs ?? []).length > 0,
    confirmPatienceMs: operation.policy.confirmDelaysMs.reduce((sum, delay) => sum + delay, 0),
  };
}

function noticesOf(notices: Reading[], reported: Reported[], known: string | null): Facts['notices'] {
  return notices.map(({ row, finding }) => ({
    inboxId: row.inbox_id,
    finding: aboutThis(known, reported, finding),
    isProven: row.follow_at === null,
    msAgo: Date.now() - row.received_at.getTime(),
    isRepetition: isRepetition(row),
  }));
}

/**
 * A notification that came before we knew our own reference may be about another payment: then it says nothing about
 * this one.
 */
function aboutThis(known: string | null, reported: Reported[], finding: Finding): Finding {
  const told = referenceOf(finding);
  const isAnothers = reported.some(({ reference, isAnothers }) => isAnothers && reference === told);
  const isThis = told === undefined || (known === null ? !isAnothers : told === known);
  return isThis ? finding : { kind: 'unknown', text: `it is about ${told}` };
}

/** A report names another payment's reference for this one: an operator gets a case. */
function withReused(decision: Decision, reported: Reported[]): Decision {
  const cases = reported
    .filter(({ isAnothers }) => isAnothers)
    .map(({ reference }): NewCase => ({ reason: 'reference_reused', detail: `reference ${reference}` }));
  return cases.length === 0 ? decision : { ...decision, cases: [...decision.cases, ...cases] };
}

/**
 * A dry-run poll: would a review change this payment? It polls the provider and writes nothing. `news`: there is
 * something to decide, or a dry run cannot decide it.
 */
export async function glance(
  context: PaymentsContext,
  payment: PaymentRow,
): Promise<'same' | 'news' | 'unanswered'> {
  if (await isForWorkflow(context, payment)) return 'news';
  const { unanswered, decided } = await consider(context, {
    paymentId: payment.payment_id,
    cause: 'check',
    patient: true,
    ask: (_rail, call) => call(),
  });
  if (unanswered) return 'unanswered';
  return decided && isIdle(decided) && !decided.unconfirmed ? 'same' : 'news';
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
