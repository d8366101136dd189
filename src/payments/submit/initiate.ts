import { openCase } from '../../controls/cases';
import type { AcceptanceAnswer, Initiation } from '../../domain/commands';
import { cutText } from '../../domain/cut-text';
import { errorResponses } from '../../domain/errors';
import type { Acceptance } from '../../domain/outcome';
import { isFinal, type PaymentState } from '../../domain/payment';
import type { PaymentsContext } from '../../rail-kit/context';
import { sentenceOf } from '../../rail-kit/provider-words';
import { operationOf } from '../../rail-kit/rail';
import type { Transaction, Database } from '../../store/database';
import type { AttemptRow, PaymentRow } from '../../store/tables';
import { duplicateKeyOf, inTransaction, nextChange } from '../../store/transaction';
import { askAgainLater } from '../read/on-hold';
import { acceptanceOf, acceptedNow, msSince, nowOf } from '../read/payment-clock';
import { getPaymentOrThrow, pendingWebhookIds } from '../read/payments';
import { refusedField } from '../read/refusals';
import { movePayment, prepareMove } from '../transition/transition';
import { givenUpOf } from '../transition/plan-check';
import { endUnsent, giveUpHeldBack, holdBack, isPatient, isTooLate } from './put-on-hold';
import { ofAccount, stopOf, stoppedText, type Stop } from './stopped-accounts';
import {
  ownAttempts,
  instructing,
  lastInstruction,
  writeAttempt,
  type OwnAttempts,
  type Attempt,
  type HeldBack,
} from './write-attempt';

/** The width of the columns that store a provider's code. */
const codeLengthMax = 64;
/** Tries to reach a provider before the payment is given up, and the time between them, where no try got through. */
const whileAnswered = { triesMax: 3, afterMs: (n: number) => 300 * n };
/**
 * For a payment of a bulk, or one that was on hold, no caller waits for the answer: these tries last a quarter of an
 * hour.
 */
const whileNobodyWaits = { triesMax: 35, afterMs: (n: number) => Math.min(30_000, 300 * 2 ** (n - 1)) };
/** The provider's share of the time that the merchant waits for the first answer. */
const providersShare = 0.75;
/** An attempt is not sent any more this long after it was written. */
const sendWithinMs = 15_000;
/**
 * When to check again for an answer that another process may receive: after a share of the attempt's age, within
 * these limits.
 */
const elsewhere = { share: 0.25, soonestMs: 250, latestMs: 2_000 };

export type InitiateResult =
  | { kind: 'done'; initiation: Initiation }
  /** Nothing was sent. `why` is for operators who inspect the workflow. */
  | { kind: 'try_again'; afterMs: number; why: string };

/**
 * Sends a payment's submission to its provider, at most once. The attempt is written before it is sent. An attempt
 * without an answer has an unknown outcome once no process can still be waiting for it. It is safe to call this again
 * at any time, but within one process only after the earlier call has ended.
 */
export async function initiate(
  context: PaymentsContext,
  paymentId: string,
  own: OwnAttempts = ownAttempts(),
): Promise<InitiateResult> {
  const payment = await getPaymentOrThrow(context.db, paymentId);
  if (payment.state !== 'received' && payment.state !== 'initiating') return takenUpAgain(context, payment);

  // Checked first, so that nothing delays the sending after the attempt is written.
  const stop = await stopOf(context, payment);
  const isLate = isTooLate(context, payment, promptWithinMs(context));
  const attempt = await writeAttempt(context, payment, { isStopped: stop !== undefined, isLate, own });
  if (attempt === 'moved_meanwhile') return initiate(context, paymentId, own);
  if (attempt === 'not_its_turn') {
    const afterMs = await waitForTurn(context.db, payment);
    return { kind: 'try_again', afterMs, why: 'another refund of its deposit is under way' };
  }
  if (attempt.kind === 'held_back') {
    const obstacle = stop ? ofAccount(stop) : attempt.obstacle;
    return holdBackOrEnd(context, payment, { obstacle, isFound: attempt.isFound }, own);
  }
  // Another host's clock may be ahead.
  const ageMs = Math.max(0, Date.now() - attempt.writtenAt.getTime());
  if (attempt.isFound && ageMs < lostAfterMs(context) && !own.has(paymentId, attempt)) {
    const afterMs = Math.max(elsewhere.soonestMs, Math.min(elsewhere.latestMs, ageMs * elsewhere.share));
    return { kind: 'try_again', afterMs, why: 'another process may have it under way' };
  }
  const [acceptance, tookMs] = await timed(instruct(context, payment, attempt, stop));
  const begun: PaymentRow = { ...payment, state: 'initiating', sequence: attempt.sequence };
  const result = await recordAcceptance(context, begun, attempt.n, acceptance);
  if (result.kind !== 'done') return result;
  return { ...result, initiation: withProviderTime(result.initiation, tookMs) };
}

/** The part of a merchant's waiting time that the provider may use. */
function promptWithinMs({ acceptanceTimeoutMs }: PaymentsContext): number {
  return acceptanceTimeoutMs * providersShare;
}

/** After this time, in ms, an attempt's process has sent it and has stopped waiting for the answer. */
export const lostAfterMs = (context: PaymentsContext) => sendWithinMs + promptWithinMs(context);

async function holdBackOrEnd(
  context: PaymentsContext,
  payment: PaymentRow,
  { obstacle, isFound }: Pick<HeldBack, 'obstacle' | 'isFound'>,
  own: OwnAttempts,
): Promise<InitiateResult> {
  const why = obstacle?.text ?? 'what it goes through was stopped for too long';
  // A payment that may have been sent is not ended or cancelled before its provider can be polled.
  if (isFound) return { kind: 'try_again', afterMs: await askAgainLater(context.db, payment), why };
  const afterMs = await holdBack(context, payment, obstacle, promptWithinMs(context));
  if (afterMs !== 'too_late') return { kind: 'try_again', afterMs, why };
  if (payment.kind === 'payout') {
    await giveUpHeldBack(context, payment, why);
    return initiate(context, payment.payment_id, own);
  }
  const final = {
    kind: 'refused',
    publicCode: 'PROVIDER_TEMPORARILY_UNAVAILABLE',
    providerCode: 'STOPPED',
    text: why,
  } as const;
  const isEnded = await endUnsent(context, payment, moveFor(final, payment));
  if (!isEnded) return initiate(context, payment.payment_id, own);
  return { kind: 'done', initiation: await standing(context, payment.payment_id, answerTo(final), 0) };
}

function instruct(
  context: PaymentsContext,
  payment: PaymentRow,
  attempt: Attempt,
  stop: Stop | undefined,
): Promise<Acceptance> {
  const rail = operationOf(context.rails.get(payment.rail), payment);
  const call = { timeoutMs: promptWithinMs(context), requestId: payment.request_id ?? payment.payment_id };
  const { n, writtenAt, isFound } = attempt;
  if (isFound) {
    // A lookup may send the submission again.
    if (stop) return unknown(`an earlier attempt left no answer behind, and ${stoppedText(stop)}`);
    return rail.recover?.(payment, call) ?? unknown('an earlier attempt left no answer behind');
  }
  // This process was suspended in between, and others may have acted on an attempt without an answer.
  if (Date.now() - writtenAt.getTime() > sendWithinMs)
    return unknown('written too long before it could be sent');
  return rail.initiate(payment, { ...call, attempt: n });
}

function unknown(text: string): Promise<Acceptance> {
  return Promise.resolve({ kind: 'unknown', text });
}

async function recordAcceptance(
  context: PaymentsContext,
  payment: PaymentRow,
  n: number,
  acceptance: Acceptance,
): Promise<InitiateResult> {
  const { payment_id: paymentId } = payment;
  const { kind } = acceptance;
  const didNothing = kind === 'not_sent' || (kind === 'unknown' && isHarmlessWhenLost(context, payment));
  const { triesMax, afterMs } = isPatient(payment) ? whileNobodyWaits : whileAnswered;
  if (didNothing && n < triesMax) {
    await context
      .db('attempts')
      .where({ payment_id: paymentId, operation: instructing, n })
      .update(answered(kind, acceptance));
    return { kind: 'try_again', afterMs: afterMs(n), why: 'the provider was not reached' };
  }
  const final = didNothing ? unreachable(acceptance.text) : acceptance;
  const move = moveFor(final, payment);
  await prepareMove(context.db, payment, move.to);
  try {
    await inTransaction(context.db, async (trx) => {
      const details = { ...payment.details, ...toldBy(final) };
      const heard = answered(kind === 'queued' ? 'accepted' : kind, acceptance);
      const moved = await movePayment(trx, context, payment, {
        ...move,
        changes: { ...move.changes, details },
        attempt: { operation: instructing, n, answered: heard },
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
    await openCase(context.db, paymentId, { reason: 'reference_reused', detail: JSON.stringify(acceptance) });
    return recordAcceptance(context, payment, n, {
      kind: 'unknown',
      text: 'the reference belongs to another payment',
    });
  }
  const answer = answerTo(final);
  // An accepted submission causes no webhook, and the merchant is waiting: only an ended payment is read again.
  const accepted: Initiation = { answer, ageMs: 0, state: 'pending', webhookIds: [] };
  const initiation = answer.kind === 'accepted' ? accepted : await standing(context, paymentId, answer, 0);
  return { kind: 'done', initiation };
}

/** Another process has marked this attempt's outcome as unknown. The answer's reference is needed for the polls. */
async function keepReference(
  trx: Transaction,
  paymentId: string,
  n: number,
  answer: Acceptance,
): Promise<void> {
  if (answer.kind !== 'accepted' && answer.kind !== 'queued') return;
  const found = await trx('payments').where({ payment_id: paymentId }).forUpdate().first();
  const last = await lastInstruction(trx, paymentId);
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
  return operationOf(rails.get(payment.rail), payment).inDoubt.whenAnswerLost === 'send_anew';
}

function moveFor(acceptance: Exclude<Acceptance, { kind: 'not_sent' }>, payment: PaymentRow) {
  switch (acceptance.kind) {
    case 'accepted':
    case 'queued':
      return {
        to: (acceptance.kind === 'accepted' ? 'pending' : 'queued') as PaymentState,
        cause: acceptance.kind,
        changes: { provider_reference: acceptance.providerReference, ...acceptedNow(payment) },
      };
    case 'unknown':
      return {
        to: 'pending' as const,
        cause: 'unknown',
        evidence: acceptance.text,
        changes: acceptedNow(payment),
      };
    case 'refused':
      return {
        to: 'failed' as const,
        cause: 'refused',
        evidence: `${acceptance.providerCode} ${acceptance.text}`,
        changes: {
          result_code: cutText(acceptance.providerCode, codeLengthMax),
          // The provider's own text is stored with the attempt. A merchant sees a sentence of ours.
          result_text: sentenceOf(acceptance.text, errorResponses[acceptance.publicCode].message),
          failure_code: acceptance.publicCode,
        },
      };
  }
}

function answered(state: AttemptRow['state'], acceptance: Acceptance): Partial<AttemptRow> {
  return {
    state,
    code: acceptance.kind === 'refused' ? cutText(acceptance.providerCode, codeLengthMax) : null,
    detail: 'text' in acceptance ? cutText(acceptance.text, 1000) : null,
    answered_at: new Date(),
  };
}

function unreachable(text: string): Acceptance & { kind: 'refused' } {
  return { kind: 'refused', publicCode: 'PROVIDER_UNAVAILABLE', providerCode: 'UNREACHABLE', text };
}

/** The workflow of this payment is restarted: nothing is sent, and undelivered webhooks are passed to it. */
async function takenUpAgain(context: PaymentsContext, payment: PaymentRow): Promise<InitiateResult> {
  const ageMs = payment.accepted_at ? msSince(payment, acceptanceOf(payment)) : 0;
  const refused = payment.state === 'failed' && payment.accepted_at === null;
  const answer: AcceptanceAnswer = refused
    ? { kind: 'refused', publicCode: 'SERVICE_UNAVAILABLE' }
    : { kind: payment.provider_reference === null && !isFinal(payment.state) ? 'unknown' : 'accepted' };
  const initiation = await standing(context, payment.payment_id, answer, ageMs);
  const given = givenUpOf(payment);
  const givenUp = given && { times: given.times, inVain: given.inVain, agoMs: nowOf(payment) - given.at };
  return { kind: 'done', initiation: { ...initiation, ...(givenUp && { givenUp }) } };
}

async function standing(
  { db }: PaymentsContext,
  paymentId: string,
  answer: AcceptanceAnswer,
  ageMs: number,
): Promise<Initiation> {
  const payment = await getPaymentOrThrow(db, paymentId);
  const unnamed = payment.provider_reference === null ? { unnamed: true as const } : {};
  return {
    answer,
    ageMs,
    state: payment.state,
    ...unnamed,
    webhookIds: await pendingWebhookIds(db, payment),
  };
}

// How a provider's first answer is stored, and how the waiting merchant is answered.

/** The details that a provider's answer adds to a payment. */
function toldBy(acceptance: Acceptance): Record<string, string> {
  if ('details' in acceptance) return acceptance.details ?? {};
  return acceptance.kind === 'refused' && acceptance.field !== undefined
    ? { [refusedField]: acceptance.field }
    : {};
}

/**
 * Only the answer's kind. The answer is stored in the workflow's history, which we cannot prune. A provider's text
 * may identify a person, because a personal number looks like any other id.
 */
function answerTo(acceptance: Exclude<Acceptance, { kind: 'not_sent' }>): AcceptanceAnswer {
  return acceptance.kind === 'refused'
    ? { kind: 'refused', publicCode: acceptance.publicCode }
    : { kind: acceptance.kind };
}

/** @returns the provider's answer, and the time it took, in milliseconds. */
async function timed<T>(call: Promise<T>): Promise<[T, number]> {
  const begunAt = performance.now();
  const answer = await call;
  return [answer, Math.round(performance.now() - begunAt)];
}

/** Reports how much of the waiting time was the provider's. */
function withProviderTime(initiation: Initiation, providerMs: number): Initiation {
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
  const detail = `not begun since ${payment.created_at.toISOString()}`;
  await openCase(db, payment.payment_id, { reason: 'refund_waits', detail });
}
