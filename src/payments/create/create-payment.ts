import type { SubmissionAnswer } from '../../domain/commands';
import { PaymentError } from '../../domain/errors';
import { NOT_STARTED } from '../../domain/payment';
import type { PaymentsContext } from '../../rail-kit/context';
import type { AcceptedPayment, Draft, PaymentDraft } from '../../rail-kit/draft';
import type { Call } from '../../rail-kit/endpoint';
import type { Engine } from '../../rail-kit/engine';
import { operationOf } from '../../rail-kit/rail';
import type { Transaction } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import { inTransaction } from '../../store/transaction';
import { onHoldDetails, isOnHold } from '../read/on-hold';
import { getPaymentOrThrow } from '../read/payments';
import {
  orUnknown,
  creationError,
  errorCodeOf,
  wasAnsweredWithError,
  wasNeverTaken,
} from '../read/creation-errors';
import { knownObstacle, assertNotStopped } from '../submit/stopped-accounts';
import { applyTransition } from '../transition/transition';
import { writePayment, commitPatienceMs } from './write-payment';

/**
 * Creates a payment for a merchant's request. One transaction writes the row. The payment's workflow is then started,
 * and this call waits for the provider's first answer. Once a provider may have acted, the answer is never an error,
 * except for a definite refusal.
 * @throws PaymentError DUPLICATE_PAYMENT; SERVICE_UNAVAILABLE when it is certain that nothing was started;
 *   ACCEPTANCE_UNKNOWN when the database cannot tell; PROVIDER_TEMPORARILY_UNAVAILABLE while the provider's account
 *   is stopped; or the provider's refusal.
 */
export async function createPayment(
  context: PaymentsContext,
  engine: Engine,
  call: Call,
  draft: Draft,
): Promise<AcceptedPayment> {
  const { resumePaymentId: resumed } = call;
  if (resumed !== undefined)
    return answerAgain(context, engine, await getPaymentOrThrow(context.db, resumed));
  const drafted = typeof draft === 'function' ? await draft() : draft;
  await assertNotStopped(context, [drafted]);
  return begin(
    context,
    engine,
    await writePayment(context, call, await expectedToWait(context, call, drafted)),
  );
}

/** Reports the hold in the first answer where the hold is already known. */
async function expectedToWait(
  context: PaymentsContext,
  call: Call,
  draft: PaymentDraft,
): Promise<PaymentDraft> {
  const { kind, rail, details = {} } = draft;
  const going = { kind, rail, details, merchant_id: call.merchant.merchant_id };
  const obstacle = await knownObstacle(context, going);
  return obstacle ? { ...draft, details: { ...details, ...onHoldDetails(obstacle) } } : draft;
}

/**
 * Repeats the answer to an earlier request. A repeated request waits with the first while the provider is being
 * asked. A refusal is repeated.
 */
export async function answerAgain(
  context: PaymentsContext,
  engine: Engine,
  payment: PaymentRow,
): Promise<AcceptedPayment> {
  const undecided = payment.state === 'received' || payment.state === 'initiating';
  if (undecided) return begin(context, engine, payment);
  return asStored(payment);
}

/** @throws PaymentError for a payment that was refused or withdrawn before its merchant was answered. */
function asStored(payment: PaymentRow): AcceptedPayment {
  if (wasAnsweredWithError(payment)) throw creationError(payment, errorCodeOf(payment));
  return { payment, answer: 'late' };
}

async function begin(
  context: PaymentsContext,
  engine: Engine,
  payment: PaymentRow,
): Promise<AcceptedPayment> {
  const answer = await startOrWithdraw(context, engine, payment);
  if (answer === 'late') return asStored(await keptFrom(context, payment));
  const now = await getPaymentOrThrow(context.db, payment.payment_id).catch(() => undefined);
  if (answer.kind === 'refused') {
    if (now?.answered_at) return { payment: now, answer: 'late' };
    throw creationError(now ?? payment, now ? codeOf(now, answer) : answer.publicCode);
  }
  // The provider has acted. A database that fails now causes no error: the answer uses what we knew before.
  return { payment: now ?? payment, answer };
}

/** A restarted workflow does not know why its payment was refused. The row does. */
function codeOf(now: PaymentRow, { publicCode }: Extract<SubmissionAnswer, { kind: 'refused' }>) {
  return wasNeverTaken(now) ? errorCodeOf(now) : publicCode;
}

/**
 * Marks a payment as answered before its provider has answered. No other process that handles the same request can withdraw
 * it, and the same request again gets this payment, however it ends. An order that still lacks its payment page is not
 * marked: its merchant is asked to repeat the request, which creates another order if the provider is never reached.
 * @returns the payment as it is now.
 */
async function keptFrom(context: PaymentsContext, payment: PaymentRow): Promise<PaymentRow> {
  const { payment_id: paymentId, rail } = payment;
  const { whenAnswerLost } = operationOf(context.rails.get(rail), payment).uncertainty;
  try {
    if (whenAnswerLost === 'send_anew') return await getPaymentOrThrow(context.db, paymentId);
    return await inTransaction(context.db, async (trx) => {
      await trx('payments')
        .where({ payment_id: paymentId, answered_at: null })
        .whereIn('state', ['received', 'initiating'])
        .update({ answered_at: new Date() });
      return getPaymentOrThrow(trx, paymentId);
    });
  } catch (error) {
    throw orUnknown(error, { payment_id: paymentId });
  }
}

/**
 * Withdraws the row when Temporal cannot be reached, unless the workflow has started anyway. We report "nothing was
 * started" only for a row that is known to be withdrawn.
 */
async function startOrWithdraw(
  context: PaymentsContext,
  engine: Engine,
  payment: PaymentRow,
): Promise<SubmissionAnswer | 'late'> {
  const { payment_id } = payment;
  try {
    const { answersWhenWritten } = operationOf(context.rails.get(payment.rail), payment);
    // A payment on hold has no provider answer soon, so nobody waits for one.
    if (answersWhenWritten !== true && !isOnHold(payment)) return await engine.start(payment);
    await engine.signalOrStart(payment, 'merchant');
    return 'late';
  } catch (error) {
    context.log.warn('the engine could not start a payment', { payment_id, error });
    const withdrawal = await withdraw(context, payment).catch((lost: unknown) => {
      throw orUnknown(lost, { payment_id });
    });
    if (withdrawal !== 'withdrawn') return 'late';
    throw new PaymentError('SERVICE_UNAVAILABLE', { retryAfterSeconds: 5, cause: error });
  }
}

/**
 * The result of an attempt to withdraw a payment.
 * - withdrawn: it ended, and no provider received it.
 * - accepted: its merchant was answered "accepted", so it continues.
 * - begun: its workflow had already started.
 */
type Withdrawal = 'withdrawn' | 'accepted' | 'begun';

const ending = {
  to: 'failed',
  changes: { failure_code: NOT_STARTED, result_text: 'The payment could not be started' },
} as const;

/**
 * Ends a payment whose workflow could not be started, unless the workflow has started anyway or the merchant was
 * answered "accepted". It reads the result of an earlier try under the row's lock, so a lost answer to that try
 * changes nothing.
 * @throws CommitUnknown, or another database error: then it is unknown whether the payment continues.
 */
export function withdraw(
  context: PaymentsContext,
  { payment_id: paymentId }: PaymentRow,
): Promise<Withdrawal> {
  const decide = async (trx: Transaction): Promise<Withdrawal> => {
    const payment = await trx('payments').where({ payment_id: paymentId }).forUpdate().first();
    if (!payment) throw new Error(`payment ${paymentId} does not exist`);
    const isNotStarted = wasNeverTaken(payment) && payment.failure_code === NOT_STARTED;
    if (payment.state !== 'received' && !isNotStarted) return 'begun';
    if (payment.answered_at !== null) return 'accepted';
    if (isNotStarted) return 'withdrawn';
    await applyTransition(trx, context, payment, { ...ending, cause: 'withdrawn', notified: false });
    return 'withdrawn';
  };
  return inTransaction(context.db, decide, { patienceMs: commitPatienceMs });
}

/** Ends a payment that was not started in time, and notifies its merchant, who may rely on it. */
export async function giveUp(context: PaymentsContext, payment: PaymentRow): Promise<void> {
  await inTransaction(context.db, (trx) =>
    applyTransition(trx, context, payment, { ...ending, cause: 'never_started' }),
  );
}
