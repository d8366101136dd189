import { setTimeout as delay } from 'node:timers/promises';
import type { Cancellation } from '../../domain/commands';
import { PaymentError } from '../../domain/errors';
import { isFinal } from '../../domain/payment';
import type { PaymentsContext } from '../../rail-kit/context';
import type { Engine } from '../../rail-kit/engine';
import { policyOf } from '../../rail-kit/uncertainty';
import { operationOf } from '../../rail-kit/rail';
import type { PaymentRow } from '../../store/tables';
import { inTransaction } from '../../store/transaction';
import { findPayment, getPaymentOrThrow } from '../read/payments';
import { cancelOnHold } from '../submit/put-on-hold';
import { noteAbandoned } from '../transition/plan-check';
import { review } from './review';

/**
 * Asks a payment's workflow to cancel it. Once the workflow was asked, the answer is never an error: a cancellation
 * without a result in time is reported as under way.
 * @throws PaymentError SERVICE_UNAVAILABLE when the workflow could not be reached.
 */
export async function cancelPayment(
  context: PaymentsContext,
  engine: Engine,
  payment: PaymentRow,
): Promise<Cancellation> {
  const { payment_id: paymentId } = payment;
  try {
    await engine.signalOrStart(payment, 'merchant');
  } catch (error) {
    throw new PaymentError('SERVICE_UNAVAILABLE', { retryAfterSeconds: 5, cause: error });
  }
  try {
    return await engine.cancel(payment);
  } catch (error) {
    context.log.warn('a cancellation got no answer in time', { payment_id: paymentId, error });
    const now = await findPayment(context.db, paymentId).catch(() => undefined);
    if (!now) return 'open';
    if (now.state === 'cancelled') return 'cancelled';
    return isFinal(now.state) ? 'too_late' : 'open';
  }
}

const callTimeoutMs = 8_000;
/** The provider's "accepted" is not the end. We poll for the final status at this interval. */
const askAgainMs = 300;
const questionsMax = 20;
/**
 * The polls before which a cancellation that the provider may not have received is sent again, more and more rarely.
 */
const sentBefore: readonly number[] = [0, 1, 3, 7, 15];
/** No further poll after this time, so that a last slow call still ends within the activity's timeout. */
const patienceMs = 9_000;

/**
 * Gives up a disbursement that was queued for too long. A cancellation without the provider's confirmation is noted
 * with the payment, because the rest of its schedule depends on it.
 */
export async function giveUpQueued(context: PaymentsContext, paymentId: string): Promise<Cancellation> {
  const result = await cancelQueued(context, paymentId);
  if (result === 'cancelled') return result;
  await inTransaction(context.db, async (trx) => {
    const payment = await trx('payments').where({ payment_id: paymentId }).forUpdate().first();
    if (!payment || isFinal(payment.state)) return;
    const policy = policyOf(operationOf(context.rails.get(payment.rail), payment));
    await noteAbandoned(trx, policy, payment, { inVain: result === 'unknown' });
  });
  return result;
}

/**
 * Cancels a disbursement that its network has not started. A payout on hold that was never sent is cancelled at once,
 * because the provider does not have it. For every other payout the provider decides whether it can be cancelled.
 * Only the provider knows what it has started, so a cancellation and a start can never both succeed. The reserve is
 * released only when the provider's own status confirms the cancellation.
 */
export async function cancelQueued(context: PaymentsContext, paymentId: string): Promise<Cancellation> {
  const payment = await getPaymentOrThrow(context.db, paymentId);
  if (payment.state === 'cancelled') return 'cancelled';
  const held = await cancelOnHold(context, payment);
  if (held !== 'not_held') return held;
  const operation = operationOf(context.rails.get(payment.rail), payment);
  if (isFinal(payment.state) || !operation.cancel) return 'too_late';

  const requestId = payment.request_id ?? payment.payment_id;
  const begun = performance.now();
  const answers = new Set<Awaited<ReturnType<typeof operation.cancel>>>();
  for (let asked = 0; asked < questionsMax && performance.now() - begun < patienceMs; asked += 1) {
    const isHeard = answers.has('taken') || answers.has('too_late');
    if (!isHeard && sentBefore.includes(asked)) {
      answers.add(await operation.cancel(payment, { timeoutMs: callTimeoutMs, requestId }));
    }
    const { state, unanswered } = await review(context, {
      paymentId,
      cause: 'check',
      patient: true,
      ask: (_rail, call) => call(),
    });
    if (state === 'cancelled') return 'cancelled';
    // The provider may receive a cancellation twice, so "too late" only counts together with the status.
    if (isFinal(state) || state === 'processing') return 'too_late';
    // After a cancellation with a lost answer, "too late" may refer to that one: the payout may be cancelled.
    if (answers.has('too_late') && !answers.has('unknown') && !unanswered) return 'too_late';
    await delay(askAgainMs);
  }
  return answers.has('taken') || answers.has('too_late') ? 'open' : 'unknown';
}
