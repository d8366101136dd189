import type { AcceptanceAnswer } from '../../domain/commands';
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
import { heldBackDetails, isHeldBack } from '../read/on-hold';
import { getPaymentOrThrow } from '../read/payments';
import { orUnknown, refusal, refusalCodeOf, wasNeverTaken } from '../read/refusals';
import { knownObstacle, assertNotStopped } from '../submit/stopped-accounts';
import { movePayment } from '../transition/transition';
import { writePayment, commitPatienceMs } from './write-payment';

/**
 * Takes a merchant's request: one transaction writes the row, then the payment's own workflow is started and its
 * acceptance awaited. Once a provider may have acted the answer is never an error, save for a definite refusal.
 * @throws PaymentError DUPLICATE_PAYMENT; SERVICE_UNAVAILABLE when nothing was started, for certain, and
 *   ACCEPTANCE_UNKNOWN when the database cannot tell; PROVIDER_TEMPORARILY_UNAVAILABLE while the provider's account is
 *   stopped; or the provider's refusal.
 */
export async function acceptPayment(
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

/** What is known to be held back says so from the beginning. */
async function expectedToWait(
  context: PaymentsContext,
  call: Call,
  draft: PaymentDraft,
): Promise<PaymentDraft> {
  const { kind, rail, details = {} } = draft;
  const going = { kind, rail, details, merchant_id: call.merchant.merchant_id };
  const obstacle = await knownObstacle(context, going);
  return obstacle ? { ...draft, details: { ...details, ...heldBackDetails(obstacle) } } : draft;
}

/**
 * Answers a request that was made before, as it was answered then: whoever comes while the provider is still being
 * asked waits with the first, and a refusal is given again.
 */
export async function answerAgain(
  context: PaymentsContext,
  engine: Engine,
  payment: PaymentRow,
): Promise<AcceptedPayment> {
  const undecided = payment.state === 'received' || payment.state === 'initiating';
  if (undecided) return begin(context, engine, payment);
  return asItStands(payment);
}

/** @throws PaymentError for a payment that was refused or withdrawn. */
function asItStands(payment: PaymentRow): AcceptedPayment {
  if (wasNeverTaken(payment)) throw refusal(payment, refusalCodeOf(payment));
  return { payment, answer: 'late' };
}

async function begin(
  context: PaymentsContext,
  engine: Engine,
  payment: PaymentRow,
): Promise<AcceptedPayment> {
  const answer = await startOrWithdraw(context, engine, payment);
  if (answer === 'late') return asItStands(await keptFrom(context, payment));
  const now = await getPaymentOrThrow(context.db, payment.payment_id).catch(() => undefined);
  if (answer.kind === 'refused') throw refusal(now ?? payment, now ? codeOf(now, answer) : answer.publicCode);
  // The provider has acted, so a database that is lost just now makes no error of it: what we knew is answered.
  return { payment: now ?? payment, answer };
}

/** A workflow that was begun anew does not know why its payment was refused; the row does. */
function codeOf(now: PaymentRow, { publicCode }: Extract<AcceptanceAnswer, { kind: 'refused' }>) {
  return wasNeverTaken(now) ? refusalCodeOf(now) : publicCode;
}

/**
 * Keeps a payment that is about to be answered as accepted, before any provider was asked, from being withdrawn by
 * whoever works on the same request. @returns the payment as it is now.
 */
async function keptFrom(
  context: PaymentsContext,
  { payment_id: paymentId }: PaymentRow,
): Promise<PaymentRow> {
  try {
    return await inTransaction(context.db, async (trx) => {
      await trx('payments')
        .where({ payment_id: paymentId, state: 'received', answered_at: null })
        .update({ answered_at: new Date() });
      return getPaymentOrThrow(trx, paymentId);
    });
  } catch (error) {
    throw orUnknown(error, { payment_id: paymentId });
  }
}

/**
 * When the engine cannot be reached the row is withdrawn, unless its workflow has begun all the same. "Nothing was
 * started" is only said of a row that is known to be withdrawn.
 */
async function startOrWithdraw(
  context: PaymentsContext,
  engine: Engine,
  payment: PaymentRow,
): Promise<AcceptanceAnswer | 'late'> {
  const { payment_id } = payment;
  try {
    const { answersWhenWritten } = operationOf(context.rails.get(payment.rail), payment);
    // Of what is held back nothing will be known soon.
    if (answersWhenWritten !== true && !isHeldBack(payment)) return await engine.start(payment);
    await engine.wake(payment);
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
 * How a payment that was to be withdrawn stands.
 * - withdrawn: it ended, and no provider has heard of it.
 * - accepted: its merchant was told that it is under way, so that it goes on.
 * - begun: its workflow was faster.
 */
type Withdrawal = 'withdrawn' | 'accepted' | 'begun';

const ending = {
  to: 'failed',
  changes: { failure_code: NOT_STARTED, result_text: 'The payment could not be started' },
} as const;

/**
 * Ends a payment that could not be handed over, unless that has happened all the same or its merchant was told
 * "accepted". What another try has left is read under the row's lock, so that a lost answer to it changes nothing.
 * @throws CommitUnknown, or another error of the database: then nobody knows whether the payment goes on.
 */
export function withdraw(
  context: PaymentsContext,
  { payment_id: paymentId }: PaymentRow,
): Promise<Withdrawal> {
  const decide = async (trx: Transaction): Promise<Withdrawal> => {
    const payment = await trx('payments').where({ payment_id: paymentId }).forUpdate().first();
    if (!payment) throw new Error(`payment ${paymentId} does not exist`);
    if (wasNeverTaken(payment) && payment.failure_code === NOT_STARTED) return 'withdrawn';
    if (payment.state !== 'received') return 'begun';
    if (payment.answered_at !== null) return 'accepted';
    await movePayment(trx, context, payment, { ...ending, cause: 'withdrawn', announced: false });
    return 'withdrawn';
  };
  return inTransaction(context.db, decide, { patienceMs: commitPatienceMs });
}

/** Ends a payment that nobody started in time, and tells its merchant, who may count on it. */
export async function giveUp(context: PaymentsContext, payment: PaymentRow): Promise<void> {
  await inTransaction(context.db, (trx) =>
    movePayment(trx, context, payment, { ...ending, cause: 'never_started' }),
  );
}
