import { cutText } from '../../domain/cut-text';
import type { ReviewCause } from '../../domain/commands';
import type { Finding } from '../../domain/outcome';
import { isSettled } from '../../domain/payment';
import { duplicateKeyOf, inTransaction } from '../../store/transaction';
import type { AttemptRow, PaymentRow } from '../../store/tables';
import type { PaymentsContext } from '../../rail-kit/context';
import { acceptanceOf, msSince } from '../read/payment-clock';
import type { Operation, ProviderCall, UnpaidCancellation } from '../../rail-kit/rail';
import { sentAttempt } from './write-attempt';

const operation = 'cancel';
/** In the looks at a payment that was given up, each of which may try it once in haste and once with patience. */
const triesMax = 8;
/** A try without an answer is under way for as long as a look may take, and is left to whoever began it. */
const underWayMs = 15_000;

const attemptStateAfter: Record<UnpaidCancellation['kind'], AttemptRow['state']> = {
  cancelled: 'accepted',
  refused: 'refused',
  not_sent: 'not_sent',
  unknown: 'unknown',
};

/** Whether a payment has had its time, and the provider says that it is not paid and might still be. */
export function isGivenUpUnpaid(
  { cancelUnpaid, policy }: Operation,
  payment: PaymentRow,
  answer: Finding,
  cause: ReviewCause,
): boolean {
  if (!cancelUnpaid || isSettled(payment.state)) return false;
  if (answer.kind !== 'open' && answer.kind !== 'failed') return false;
  const isLate = msSince(payment, acceptanceOf(payment)) >= (policy.checksMs.at(-1) ?? 0);
  return isLate || payment.state === 'timed_out' || cause === 'deadline' || cause === 'watch_end';
}

/**
 * Has the provider cancel what was given up, so that nobody pays for it later. Each try is written down before it is
 * sent, and what the provider said to it stands there; one that was taken is the last.
 * @returns `left` where nothing is to be done: it is cancelled or being cancelled, or was tried often enough.
 */
export async function cancelUnpaid(
  { db }: Pick<PaymentsContext, 'db'>,
  rail: Operation,
  payment: PaymentRow,
  call: ProviderCall,
): Promise<UnpaidCancellation['kind'] | 'left'> {
  const { payment_id: paymentId } = payment;
  const n = await nextTry(db, paymentId);
  if (n === undefined || !rail.cancelUnpaid) return 'left';
  const { kind, text } = await rail.cancelUnpaid(payment, call);
  await db('attempts')
    .where({ payment_id: paymentId, operation, n })
    .update({ state: attemptStateAfter[kind], detail: cutText(text, 1000), answered_at: new Date() });
  return kind;
}

/** Of two who look at once, the second leaves it to the first. */
async function nextTry(db: PaymentsContext['db'], paymentId: string): Promise<number | undefined> {
  try {
    return await inTransaction(db, async (trx) => {
      const all = { payment_id: paymentId, operation };
      const tries = await trx('attempts').where(all).select('state', 'sent_at');
      const since = Date.now() - underWayMs;
      const isTaken = tries.some(
        ({ state, sent_at: at }) => state === 'accepted' || (state === 'sent' && at.getTime() > since),
      );
      if (isTaken || tries.length >= triesMax) return undefined;
      const n = tries.length + 1;
      await trx('attempts').insert(sentAttempt(paymentId, operation, n));
      return n;
    });
  } catch (error) {
    if (duplicateKeyOf(error) === undefined) throw error;
    return undefined;
  }
}
