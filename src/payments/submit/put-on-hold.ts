/**
 * Holds payments while their provider's account is stopped, or their merchant's payouts are paused. No attempt
 * is written and nothing is sent. A payment on hold continues by itself after the release. A customer must not be
 * asked long after the purchase, so a deposit ends as unsent, also where the stop ended before the next try. A payout
 * may wait for three days.
 */
import type { PauseScope } from '../../controls/pauses';
import { NOT_RELEASED } from '../../domain/payment';
import type { Database } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import { inTransaction } from '../../store/transaction';
import {
  askAgainLater,
  onHoldDetail,
  onHoldDetails,
  isOnHold,
  isUnsent,
  isPossiblySent,
  unsentStates,
  type HoldReason,
} from '../read/on-hold';
import { isOfBulk } from '../read/payments';
import type { PaymentsContext } from '../../rail-kit/context';
import { applyTransition, prepareTransition, type Transition } from '../transition/transition';
import { acceptedNow, msSince } from '../read/payment-clock';
import type { Obstacle } from './stopped-accounts';
import { lastSubmission, stillInitiating } from './write-attempt';

/** A deposit is not started any more this long after its request. */
const askCustomerWithinMs = 15_000;
/** A payout is not started any more after this time: its merchant has the money back, and may request it again. */
const payOutWithin = { hours: 72, ms: 72 * 3_600_000 };

/** Payments on hold because operators paused exactly this scope; at most so many. */
export function findStopped(
  db: Database,
  { merchantId, rail, country }: PauseScope,
  limit: number,
): Promise<PaymentRow[]> {
  const detail = (name: string) => `JSON_UNQUOTE(JSON_EXTRACT(details, '$.${name}')) = ?`;
  const waiting = db('payments')
    .where({ is_final: 0 })
    .whereIn('state', [...unsentStates])
    .whereNot({ kind: 'deposit' })
    .whereRaw(detail(onHoldDetail), ['PAYOUTS_STOPPED' satisfies HoldReason])
    .limit(limit);
  if (merchantId !== undefined) void waiting.where({ merchant_id: merchantId });
  if (rail !== undefined) void waiting.where({ rail });
  if (country !== undefined) void waiting.whereRaw(detail('country'), [country]);
  return waiting;
}

/** Whether its merchant was answered earlier, and relies on it however long its start takes. */
export function isPatient(payment: PaymentRow): boolean {
  return isOfBulk(payment) || (payment.kind !== 'deposit' && isOnHold(payment));
}

/** A payout can be cancelled while it is on hold and unsent, or queued at its network. */
export function isCancellable({
  kind,
  state,
  details,
}: Pick<PaymentRow, 'kind' | 'state' | 'details'>): boolean {
  if (kind !== 'payout') return false;
  return state === 'queued' || (isUnsent({ state }) && isOnHold({ details }) && !isPossiblySent({ details }));
}

/** Cancels a payment on hold that was never sent. @returns 'not_held' where it has started, or was never on hold. */
export async function cancelOnHold(
  context: PaymentsContext,
  payment: PaymentRow,
): Promise<'cancelled' | 'too_late' | 'not_held'> {
  if (!isUnsent(payment) || !isOnHold(payment)) return 'not_held';
  if (isPossiblySent(payment)) return 'too_late';
  const isOff = await endUnsent(context, payment, { to: 'cancelled', cause: 'cancelled' });
  return isOff ? 'cancelled' : 'not_held';
}

/**
 * @param promptWithinMs the part of a deposit's life in which its merchant still waits.
 * @returns the delay in milliseconds before it tries again; 'too_late' for a payment that must end.
 */
export async function holdBack(
  context: PaymentsContext,
  payment: PaymentRow,
  obstacle: Obstacle | undefined,
  promptWithinMs: number,
): Promise<number | 'too_late'> {
  const leftMs = leftMsOf(context, payment, promptWithinMs);
  // While a restore or a LOOKS_PAID hold applies, we cannot say that it was never sent.
  const isDoubted = obstacle !== undefined && isPossiblySent(payment);
  if (leftMs <= 0 && !isDoubted) return 'too_late';
  const noted = obstacle ? onHoldDetails(obstacle) : {};
  const afterMs = await askAgainLater(context.db, payment, noted);
  return isDoubted ? afterMs : Math.min(leftMs, afterMs);
}

/** Whether it was on hold for too long to be started, even though nothing holds it now. */
export function isTooLate(context: PaymentsContext, payment: PaymentRow, promptWithinMs: number): boolean {
  return isOnHold(payment) && leftMsOf(context, payment, promptWithinMs) <= 0;
}

function leftMsOf({ timeScale }: PaymentsContext, payment: PaymentRow, promptWithinMs: number): number {
  const ageMs = msSince(payment, payment.created_at);
  if (payment.kind === 'payout') return payOutWithin.ms / timeScale - ageMs;
  if (payment.kind === 'refund' || isOfBulk(payment)) return Infinity;
  return Math.min(askCustomerWithinMs, promptWithinMs) - ageMs;
}

/** Ends a payout that was on hold for too long. @returns as `endUnsent`. */
export function abandonOnHold(context: PaymentsContext, payment: PaymentRow, why: string): Promise<boolean> {
  const text = `on hold for more than ${String(payOutWithin.hours)} h`;
  return endUnsent(context, payment, {
    to: 'failed',
    cause: 'given_up',
    evidence: `${text}: ${why}`,
    changes: {
      failure_code: NOT_RELEASED,
      result_text: `The payout was on hold and was never sent: ${text}`,
      // Its merchant was answered "accepted": the same request again gets this payment.
      ...acceptedNow(payment),
    },
  });
}

/** Ends a payment that was never sent. @returns false where it has started, or has an answer by now. */
export async function endUnsent(
  context: PaymentsContext,
  payment: PaymentRow,
  transition: Transition,
): Promise<boolean> {
  await prepareTransition(context.db, payment, transition.to);
  return inTransaction(context.db, async (trx) => {
    if (payment.state === 'initiating') {
      if (!(await stillInitiating(trx, payment.payment_id))) return false;
      if ((await lastSubmission(trx, payment.payment_id))?.state === 'sent') return false;
    }
    return (await applyTransition(trx, context, payment, transition)) !== undefined;
  });
}
