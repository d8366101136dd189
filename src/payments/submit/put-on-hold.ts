/**
 * What is to be begun while its provider's account or its merchant's payouts are stopped. Nothing is written down and
 * nothing is sent: it waits, and goes on by itself. Only a customer is not asked long after he wanted to pay: a deposit
 * ends, for certain unsent, also where the stop was lifted before anybody asked again. A payout has three days.
 */
import type { StopScope } from '../../controls/stops';
import { NOT_RELEASED } from '../../domain/payment';
import type { Database } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import { inTransaction } from '../../store/transaction';
import {
  askAgainLater,
  heldBackDetail,
  heldBackDetails,
  isHeldBack,
  isUnsent,
  mayHaveGone,
  unsentStates,
  type HoldReason,
} from '../read/on-hold';
import { isOfBulk } from '../read/payments';
import type { PaymentsContext } from '../../rail-kit/context';
import { movePayment, prepareMove, type Move } from '../transition/transition';
import { acceptedNow, msSince } from '../read/payment-clock';
import type { Obstacle } from './stopped-accounts';
import { lastInstruction, stillInitiating } from './write-attempt';

/** A deposit is not begun any more this long after it was asked for. */
const askCustomerWithinMs = 15_000;
/** Nor is a payout: its merchant has its money back, and may ask anew. */
const payOutWithin = { hours: 72, ms: 72 * 3_600_000 };

/** What waits because operators had stopped it, of exactly this scope; at most so many. */
export function findStopped(
  db: Database,
  { merchantId, rail, country }: StopScope,
  limit: number,
): Promise<PaymentRow[]> {
  const detail = (name: string) => `JSON_UNQUOTE(JSON_EXTRACT(details, '$.${name}')) = ?`;
  const waiting = db('payments')
    .where({ is_final: 0 })
    .whereIn('state', [...unsentStates])
    .whereNot({ kind: 'deposit' })
    .whereRaw(detail(heldBackDetail), ['PAYOUTS_STOPPED' satisfies HoldReason])
    .limit(limit);
  if (merchantId !== undefined) void waiting.where({ merchant_id: merchantId });
  if (rail !== undefined) void waiting.where({ rail });
  if (country !== undefined) void waiting.whereRaw(detail('country'), [country]);
  return waiting;
}

/** Whether its merchant was answered long ago, and counts on it however long its beginning takes. */
export function isPatient(payment: PaymentRow): boolean {
  return isOfBulk(payment) || (payment.kind !== 'deposit' && isHeldBack(payment));
}

/** What may be called off: nobody has been told of it, or its network has not begun it. */
export function isCancellable({
  kind,
  state,
  details,
}: Pick<PaymentRow, 'kind' | 'state' | 'details'>): boolean {
  if (kind !== 'payout') return false;
  return state === 'queued' || (isUnsent({ state }) && isHeldBack({ details }) && !mayHaveGone({ details }));
}

/** Cancels what was held back and never sent. @returns 'not_held' where it has begun, or was never held back. */
export async function cancelHeldBack(
  context: PaymentsContext,
  payment: PaymentRow,
): Promise<'cancelled' | 'too_late' | 'not_held'> {
  if (!isUnsent(payment) || !isHeldBack(payment)) return 'not_held';
  if (mayHaveGone(payment)) return 'too_late';
  const isOff = await endUnsent(context, payment, { to: 'cancelled', cause: 'cancelled' });
  return isOff ? 'cancelled' : 'not_held';
}

/**
 * @param promptWithinMs of a deposit's life that its merchant still waits in.
 * @returns after how many milliseconds it asks again; 'too_late' for what is to end.
 */
export async function holdBack(
  context: PaymentsContext,
  payment: PaymentRow,
  obstacle: Obstacle | undefined,
  promptWithinMs: number,
): Promise<number | 'too_late'> {
  const leftMs = leftMsOf(context, payment, promptWithinMs);
  // While a restore, or what looks like it, holds it back, nobody says that it was never sent.
  const isDoubted = obstacle !== undefined && mayHaveGone(payment);
  if (leftMs <= 0 && !isDoubted) return 'too_late';
  const noted = obstacle ? heldBackDetails(obstacle) : {};
  const afterMs = await askAgainLater(context.db, payment, noted);
  return isDoubted ? afterMs : Math.min(leftMs, afterMs);
}

/** Whether it was held back for so long that it is not begun any more, though nothing stops it now. */
export function isTooLate(context: PaymentsContext, payment: PaymentRow, promptWithinMs: number): boolean {
  return isHeldBack(payment) && leftMsOf(context, payment, promptWithinMs) <= 0;
}

function leftMsOf({ timeScale }: PaymentsContext, payment: PaymentRow, promptWithinMs: number): number {
  const ageMs = msSince(payment, payment.created_at);
  if (payment.kind === 'payout') return payOutWithin.ms / timeScale - ageMs;
  if (payment.kind === 'refund' || isOfBulk(payment)) return Infinity;
  return Math.min(askCustomerWithinMs, promptWithinMs) - ageMs;
}

/** Ends a payout that was held back for too long. @returns as `endUnsent`. */
export function giveUpHeldBack(context: PaymentsContext, payment: PaymentRow, why: string): Promise<boolean> {
  const text = `given up after ${String(payOutWithin.hours)} h`;
  return endUnsent(context, payment, {
    to: 'failed',
    cause: 'given_up',
    evidence: `${text}: ${why}`,
    changes: {
      failure_code: NOT_RELEASED,
      result_text: `The payout was held back and never sent: ${text}`,
      // Its merchant was told that it is accepted: the same request again gets this one.
      ...acceptedNow(payment),
    },
  });
}

/** Ends what was never sent. @returns false where it was begun meanwhile, or is answered by now. */
export async function endUnsent(context: PaymentsContext, payment: PaymentRow, move: Move): Promise<boolean> {
  await prepareMove(context.db, payment, move.to);
  return inTransaction(context.db, async (trx) => {
    if (payment.state === 'initiating') {
      if (!(await stillInitiating(trx, payment.payment_id))) return false;
      if ((await lastInstruction(trx, payment.payment_id))?.state === 'sent') return false;
    }
    return (await movePayment(trx, context, payment, move)) !== undefined;
  });
}
