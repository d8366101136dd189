import { openCase } from '../../controls/cases';
import type { Policy, SubmissionAnswer, SubmissionStep } from '../../domain/commands';
import { cutText } from '../../domain/cut-text';
import { errorResponses } from '../../domain/errors';
import type { SubmissionResult } from '../../domain/outcome';
import { isFinal, type PaymentState } from '../../domain/payment';
import { keepTrying } from '../../domain/repeat';
import type { PaymentsContext } from '../../rail-kit/context';
import { sentenceOf } from '../../rail-kit/provider-words';
import { operationOf } from '../../rail-kit/rail';
import { policyOf } from '../../rail-kit/uncertainty';
import type { Transaction, Database } from '../../store/database';
import type { AttemptRow, PaymentRow } from '../../store/tables';
import { duplicateKeyOf, inTransaction, isDatabaseUnavailable, nextChange } from '../../store/transaction';
import { casesAndCodeOf } from '../read/attention';
import { askAgainLater, type Hold } from '../read/on-hold';
import { creationTimeOf, acceptedNow, msSince, nowOf } from '../read/payment-clock';
import { getPaymentOrThrow, pendingWebhookIds } from '../read/payments';
import { refusedField } from '../read/creation-errors';
import { applyTransition, prepareTransition } from '../transition/transition';
import { abandonedOf } from '../transition/plan-check';
import { endUnsent, abandonOnHold, holdBack, isPatient, isTooLate } from './put-on-hold';
import { ofAccount, stopOf, stoppedText, type AccountStop } from './stopped-accounts';
import {
  ownAttempts,
  instructing,
  lastSubmission,
  writeAttempt,
  type OwnAttempts,
  type Attempt,
  type OnHold,
} from './write-attempt';

/** The width of the columns that store a provider's code. */
const codeLengthMax = 64;
/** Tries to reach a provider before the payment is given up, and the time between them, where no try got through. */
const whileAnswered = { triesMax: 3, afterMs: (n: number) => 300 * n };
/**
 * For a payment of a bulk, or one that was on hold, no caller waits for the answer: these tries last a quarter of an
 * hour.
 */
const inBackground = { triesMax: 35, afterMs: (n: number) => Math.min(30_000, 300 * 2 ** (n - 1)) };
/** The provider's share of the time that the merchant waits for the first answer. */
const providersShare = 0.75;
/** An attempt is not sent any more this long after it was written. */
const sendWithinMs = 15_000;
/** A database that is away for longer is restored, and then each payment is looked up. */
const storeLater = { everyMs: 1_000, forMs: 900_000, isTemporary: isDatabaseUnavailable };
/**
 * When to check again for an answer that another process may receive: after a share of the attempt's age, within
 * these limits.
 */
const elsewhere = { share: 0.25, soonestMs: 250, latestMs: 2_000 };

export type SubmitResult =
  | { kind: 'done'; initiation: SubmissionStep }
  /** Nothing was sent. `why` is for operators who inspect the workflow. */
  | { kind: 'try_again'; afterMs: number; why: string; hold?: Hold };

/**
 * Sends a payment's submission to its provider, at most once. The attempt is written before it is sent. An attempt
 * without an answer has an unknown outcome once no process can still be waiting for it. It is safe to call this again
 * at any time, but within one process only after the earlier call has ended.
 */
export async function submitPayment(
  context: PaymentsContext,
  paymentId: string,
  own: OwnAttempts = ownAttempts(),
): Promise<SubmitResult> {
  const payment = await getPaymentOrThrow(context.db, paymentId);
  if (payment.state !== 'received' && payment.state !== 'initiating') return takenUpAgain(context, payment);

  // Checked first, so that nothing delays the sending after the attempt is written.
  const stop = await stopOf(context, payment);
  const isLate = isTooLate(context, payment, promptWithinMs(context));
  const attempt = await writeAttempt(context, payment, { isStopped: stop !== undefined, isLate, own });
  if (attempt === 'moved_meanwhile') return submitPayment(context, paymentId, own);
  if (attempt === 'not_its_turn') {
    const afterMs = await waitForTurn(context.db, payment);
    return { kind: 'try_again', afterMs, why: 'another refund of the deposit is in progress' };
  }
  if (attempt.kind === 'on_hold') {
    const obstacle = stop ? ofAccount(stop) : attempt.obstacle;
    return holdBackOrEnd(context, payment, { obstacle, isFound: attempt.isFound }, own);
  }
  // Another host's clock may be ahead.
  const ageMs = Math.max(0, Date.now() - attempt.writtenAt.getTime());
  if (attempt.isFound && ageMs < lostAfterMs(context) && !own.has(paymentId, attempt)) {
    const afterMs = Math.max(elsewhere.soonestMs, Math.min(elsewhere.latestMs, ageMs * elsewhere.share));
    return { kind: 'try_again', afterMs, why: 'another process may be submitting it' };
  }
  const known = own.answerTo(paymentId, attempt);
  const [submissionResult, tookMs] = known
    ? [known, 0]
    : await timed(sendSubmission(context, payment, attempt, stop));
  // An unknown result is looked up instead.
  if (submissionResult.kind !== 'unknown') own.answered(paymentId, attempt, submissionResult);
  const begun: PaymentRow = { ...payment, state: 'initiating', sequence: attempt.sequence };
  const store = () => recordSubmissionResult(context, begun, attempt.n, submissionResult);
  const result = await store().catch((error: unknown) => {
    const isNamed = submissionResult.kind === 'accepted' || submissionResult.kind === 'queued';
    // Another process may have taken the payment over when the database is back. Without the reference nobody can poll it.
    if (isNamed && !known && isDatabaseUnavailable(error)) void keepTrying(store, storeLater);
    throw error;
  });
  if (result.kind !== 'done') return result;
  return { ...result, initiation: withProviderTime(result.initiation, tookMs) };
}

/** The part of a merchant's waiting time that the provider may use. */
function promptWithinMs({ creationTimeoutMs }: PaymentsContext): number {
  return creationTimeoutMs * providersShare;
}

/** After this time, in ms, an attempt's process has sent it and has stopped waiting for the answer. */
export const lostAfterMs = (context: PaymentsContext) => sendWithinMs + promptWithinMs(context);

async function holdBackOrEnd(
  context: PaymentsContext,
  payment: PaymentRow,
  { obstacle, isFound }: Pick<OnHold, 'obstacle' | 'isFound'>,
  own: OwnAttempts,
): Promise<SubmitResult> {
  const why = obstacle?.text ?? 'the account was paused for too long';
  // A deposit waits for seconds only: no operator acts on that.
  const hold = obstacle && payment.kind !== 'deposit' ? { hold: obstacle } : {};
  // A payment that may have been sent is not ended or cancelled before its provider can be polled.
  if (isFound) return { kind: 'try_again', afterMs: await askAgainLater(context.db, payment), why, ...hold };
  const afterMs = await holdBack(context, payment, obstacle, promptWithinMs(context));
  if (afterMs !== 'too_late') return { kind: 'try_again', afterMs, why, ...hold };
  if (payment.kind === 'payout') {
    await abandonOnHold(context, payment, why);
    return submitPayment(context, payment.payment_id, own);
  }
  const final = {
    kind: 'refused',
    publicCode: 'PROVIDER_TEMPORARILY_UNAVAILABLE',
    providerCode: 'STOPPED',
    text: why,
  } as const;
  const isEnded = await endUnsent(context, payment, transitionFor(final, payment));
  if (!isEnded) return submitPayment(context, payment.payment_id, own);
  return { kind: 'done', initiation: await currentResult(context, payment.payment_id, answerTo(final), 0) };
}

function sendSubmission(
  context: PaymentsContext,
  payment: PaymentRow,
  attempt: Attempt,
  stop: AccountStop | undefined,
): Promise<SubmissionResult> {
  const rail = operationOf(context.rails.get(payment.rail), payment);
  const call = { timeoutMs: promptWithinMs(context), requestId: payment.request_id ?? payment.payment_id };
  const { n, writtenAt, isFound } = attempt;
  if (isFound) {
    // A lookup may send the submission again.
    if (stop) return unknown(`the result of an earlier attempt is unknown, and ${stoppedText(stop)}`);
    return rail.recover?.(payment, call) ?? unknown('the result of an earlier attempt is unknown');
  }
  // This process was suspended in between, and others may have acted on an attempt without an answer.
  if (Date.now() - writtenAt.getTime() > sendWithinMs)
    return unknown('the attempt was written too long before it could be sent');
  return rail.initiate(payment, { ...call, attempt: n });
}

function unknown(text: string): Promise<SubmissionResult> {
  return Promise.resolve({ kind: 'unknown', text });
}

async function recordSubmissionResult(
  context: PaymentsContext,
  payment: PaymentRow,
  n: number,
  submissionResult: SubmissionResult,
): Promise<SubmitResult> {
  const { payment_id: paymentId } = payment;
  const { kind } = submissionResult;
  const didNothing = kind === 'not_sent' || (kind === 'unknown' && isHarmlessWhenLost(context, payment));
  const { triesMax, afterMs } = isPatient(payment) ? inBackground : whileAnswered;
  if (didNothing && n < triesMax) {
    await context
      .db('attempts')
      .where({ payment_id: paymentId, operation: instructing, n })
      .update(answered(kind, submissionResult));
    return { kind: 'try_again', afterMs: afterMs(n), why: 'the provider was not reached' };
  }
  const final = didNothing ? unreachable(submissionResult.text) : submissionResult;
  const transition = transitionFor(final, payment);
  await prepareTransition(context.db, payment, transition.to);
  try {
    await inTransaction(context.db, async (trx) => {
      const details = { ...payment.details, ...detailsOf(final) };
      const heard = answered(kind === 'queued' ? 'accepted' : kind, submissionResult);
      const moved = await applyTransition(trx, context, payment, {
        ...transition,
        changes: { ...transition.changes, details },
        source: { table: 'attempts', row: { operation: instructing, n }, changes: heard },
      });
      if (!moved) {
        await trx('attempts').where({ payment_id: paymentId, operation: instructing, n }).update(heard);
        await keepReference(trx, paymentId, n, final);
      }
      if (final.kind === 'refused' && final.publicCode === 'PROVIDER_ACCOUNT_REFUSED') {
        await openCase(trx, paymentId, {
          reason: 'account_refused',
          detail: `${final.providerCode} ${final.text}`,
        });
      }
    });
  } catch (error) {
    if (duplicateKeyOf(error) === undefined) throw error;
    await openCase(context.db, paymentId, {
      reason: 'reference_reused',
      detail: JSON.stringify(submissionResult),
    });
    return recordSubmissionResult(context, payment, n, {
      kind: 'unknown',
      text: 'the reference belongs to another payment',
    });
  }
  const answer = answerTo(final);
  // An accepted submission causes no webhook, and the merchant is waiting: only an ended payment is read again.
  const accepted: SubmissionStep = {
    ...{ answer, ageMs: 0, state: 'pending', webhookIds: [] },
    policy: workflowPolicyOf(context, payment),
  };
  const initiation =
    answer.kind === 'accepted' ? accepted : await currentResult(context, paymentId, answer, 0);
  return { kind: 'done', initiation };
}

/** Another process has marked this attempt's outcome as unknown. The answer's reference is needed for the polls. */
async function keepReference(
  trx: Transaction,
  paymentId: string,
  n: number,
  answer: SubmissionResult,
): Promise<void> {
  if (answer.kind !== 'accepted' && answer.kind !== 'queued') return;
  const found = await trx('payments').where({ payment_id: paymentId }).forUpdate().first();
  const last = await lastSubmission(trx, paymentId);
  if (last && last.n > n) {
    // A later attempt counts, if there is one: a second attempt exists only where a lost one is harmless.
    await trx('attempts')
      .where({ payment_id: paymentId, operation: instructing, n })
      .update({ state: 'unknown' });
    return;
  }
  if (!found || isFinal(found.state) || found.provider_reference !== null) return;
  await trx('payments')
    .where({ payment_id: paymentId })
    .update({
      provider_reference: answer.providerReference,
      details: JSON.stringify({ ...found.details, ...answer.details }) as never,
      ...nextChange(trx),
    });
}

function isHarmlessWhenLost({ rails }: PaymentsContext, payment: PaymentRow): boolean {
  return operationOf(rails.get(payment.rail), payment).uncertainty.whenAnswerLost === 'send_anew';
}

function transitionFor(
  submissionResult: Exclude<SubmissionResult, { kind: 'not_sent' }>,
  payment: PaymentRow,
) {
  switch (submissionResult.kind) {
    case 'accepted':
    case 'queued':
      return {
        to: (submissionResult.kind === 'accepted' ? 'pending' : 'queued') as PaymentState,
        cause: submissionResult.kind,
        changes: { provider_reference: submissionResult.providerReference, ...acceptedNow(payment) },
      };
    case 'unknown':
      return {
        to: 'pending' as const,
        cause: 'unknown',
        evidence: submissionResult.text,
        changes: acceptedNow(payment),
      };
    case 'refused':
      return {
        to: 'failed' as const,
        cause: 'refused',
        evidence: `${submissionResult.providerCode} ${submissionResult.text}`,
        changes: {
          result_code: cutText(submissionResult.providerCode, codeLengthMax),
          // The provider's own text is stored with the attempt. A merchant sees a sentence of ours.
          result_text: sentenceOf(submissionResult.text, errorResponses[submissionResult.publicCode].message),
          failure_code: submissionResult.publicCode,
        },
      };
  }
}

function answered(state: AttemptRow['state'], submissionResult: SubmissionResult): Partial<AttemptRow> {
  return {
    state,
    code: submissionResult.kind === 'refused' ? cutText(submissionResult.providerCode, codeLengthMax) : null,
    detail: 'text' in submissionResult ? cutText(submissionResult.text, 1000) : null,
    answered_at: new Date(),
  };
}

function unreachable(text: string): SubmissionResult & { kind: 'refused' } {
  return { kind: 'refused', publicCode: 'PROVIDER_UNAVAILABLE', providerCode: 'UNREACHABLE', text };
}

/** The workflow of this payment is restarted: nothing is sent, and undelivered webhooks are passed to it. */
async function takenUpAgain(context: PaymentsContext, payment: PaymentRow): Promise<SubmitResult> {
  const ageMs = payment.accepted_at ? msSince(payment, creationTimeOf(payment)) : 0;
  const refused = payment.state === 'failed' && payment.accepted_at === null;
  const answer: SubmissionAnswer = refused
    ? { kind: 'refused', publicCode: 'SERVICE_UNAVAILABLE' }
    : { kind: payment.provider_reference === null && !isFinal(payment.state) ? 'unknown' : 'accepted' };
  const initiation = await currentResult(context, payment.payment_id, answer, ageMs);
  const given = abandonedOf(payment);
  const abandoned = given && { times: given.times, inVain: given.inVain, agoMs: nowOf(payment) - given.at };
  return { kind: 'done', initiation: { ...initiation, ...(abandoned && { abandoned }) } };
}

async function currentResult(
  context: PaymentsContext,
  paymentId: string,
  answer: SubmissionAnswer,
  ageMs: number,
): Promise<SubmissionStep> {
  const { db } = context;
  const payment = await getPaymentOrThrow(db, paymentId);
  const unnamed = payment.provider_reference === null ? { unnamed: true as const } : {};
  return {
    answer,
    ageMs,
    state: payment.state,
    ...unnamed,
    webhookIds: await pendingWebhookIds(db, payment),
    ...(await casesAndCodeOf(db, payment)),
    policy: workflowPolicyOf(context, payment),
  };
}

/**
 * The durations for a payment's workflow. Rows keep the late checks of paid payments (see
 * payments/recovery/late-checks.ts): the workflow ends with its last webhook.
 */
function workflowPolicyOf({ rails }: PaymentsContext, payment: PaymentRow): Policy {
  const { afterSuccessChecksMs: _, ...policy } = policyOf(operationOf(rails.get(payment.rail), payment));
  return policy;
}

// How a provider's first answer is stored, and how the waiting merchant is answered.

/** The details that a provider's answer adds to a payment. */
function detailsOf(submissionResult: SubmissionResult): Record<string, string> {
  if ('details' in submissionResult) return submissionResult.details ?? {};
  return submissionResult.kind === 'refused' && submissionResult.field !== undefined
    ? { [refusedField]: submissionResult.field }
    : {};
}

/**
 * Only the answer's kind. The answer is stored in the workflow's history, which we cannot prune. A provider's text
 * may identify a person, because a personal number looks like any other id.
 */
function answerTo(submissionResult: Exclude<SubmissionResult, { kind: 'not_sent' }>): SubmissionAnswer {
  return submissionResult.kind === 'refused'
    ? { kind: 'refused', publicCode: submissionResult.publicCode }
    : { kind: submissionResult.kind };
}

/** @returns the provider's answer, and the time it took, in milliseconds. */
async function timed<T>(call: Promise<T>): Promise<[T, number]> {
  const begunAt = performance.now();
  const answer = await call;
  return [answer, Math.round(performance.now() - begunAt)];
}

/** Reports how much of the waiting time was the provider's. */
function withProviderTime(initiation: SubmissionStep, providerMs: number): SubmissionStep {
  return { ...initiation, answer: { ...initiation.answer, providerMs } };
}

// A provider accepts one refund of a deposit at a time. The others wait in a queue, and a long wait opens a case.

/** A refund that has not started for this long gets a case. */
const longestMs = 3_600_000;

/** @returns the delay in milliseconds before the refund tries again. */
async function waitForTurn(db: Database, payment: PaymentRow): Promise<number> {
  await askPersonWhenLate(db, payment);
  return askAgainLater(db, payment);
}

/**
 * Opens a case for a refund that has not started, either because of the one ahead of it or because its workflow is
 * missing.
 */
export async function askPersonWhenLate(db: Database, payment: PaymentRow): Promise<void> {
  if (msSince(payment, payment.created_at) <= longestMs) return;
  const detail = `not submitted since ${payment.created_at.toISOString()}`;
  await openCase(db, payment.payment_id, { reason: 'refund_waits', detail });
}
