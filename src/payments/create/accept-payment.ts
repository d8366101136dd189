import type { AcceptanceAnswer } from '../../domain/commands';
import { PaymentError } from '../../domain/errors';
import { inTransaction } from '../../store/transaction';
import type { PaymentRow } from '../../store/tables';
import type { PaymentsContext } from '../../rail-kit/context';
import type { AcceptedPayment, Draft, PaymentDraft } from '../../rail-kit/draft';
import type { Call } from '../../rail-kit/endpoint';
import type { Engine } from '../../rail-kit/engine';
import { getPaymentOrThrow } from '../read/payments';
import { operationOf } from '../../rail-kit/rail';
import { orUnknown, refusal, refusalCodeOf, wasNeverTaken } from '../read/refusals';
import { heldBackDetails, isHeldBack } from '../read/on-hold';
import { knownObstacle } from '../submit/obstacles';
import { assertNotStopped } from '../submit/stopped-accounts';
import { withdraw } from './withdraw';
import { writePayment } from './write-payment';

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
