/**
 * What is to be begun while its provider's account or its merchant's payouts are stopped. Nothing is written down and
 * nothing is sent: it waits, and goes on by itself. Only a customer is not asked long after he wanted to pay: a deposit
 * ends, for certain unsent, also where the stop was lifted before anybody asked again. A payout has three days.
 */
import type { StopScope } from '../../controls/stops';
import { NOT_RELEASED, type PaymentState } from '../../domain/payment';
import type { Database } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import { inTransaction } from '../../store/transaction';
import { askAgainLater } from '../record/ask-again-later';
import { isOfBulk } from '../record/of-bulk';
import { maybe, text } from '../rail/answer-fields';
import type { PaymentsContext } from '../rail/context';
import { movePayment, prepareMove, type Move } from '../moves/move-payment';
import { acceptedNow, msSince } from '../record/payment-clock';
import type { HoldReason, Obstacle } from './obstacles';
import { lastInstruction, stillInitiating } from './write-attempt';

/**
 * The detail of a payment that was ever held back, which says why it was last: nobody else ends it because it has not
 * begun.
 */
const heldBackDetail = 'held_back';
/** A deposit is not begun any more this long after it was asked for. */
const askCustomerWithinMs = 15_000;
/** Nor is a payout: its merchant has its money back, and may ask anew. */
const payOutWithin = { hours: 72, ms: 72 * 3_600_000 };

/** What is noted with a payment that is held back. */
export const heldBackDetails = ({ holdReason }: Obstacle): Record<string, string> => ({
  [heldBackDetail]: holdReason,
});

/** The detail of a payout that waited when a database was copied which was restored: when that was. */
const waitedInCopyDetail = 'waited_in_copy';

export const waitedInCopy = (copiedAt: Date): Record<string, string> => ({
  [waitedInCopyDetail]: copiedAt.toISOString(),
});

/** Whether it waited in a copy, and may have gone out since: it is not "never sent" because it waits here. */
export function mayHaveGone({ details }: Pick<PaymentRow, 'details'>): boolean {
  return details[waitedInCopyDetail] !== undefined;
}

export function isHeldBack({ details }: Pick<PaymentRow, 'details'>): boolean {
  return details[heldBackDetail] !== undefined;
}

/** Why a payout or a refund that nobody was told of waits; undefined for what does not. */
export function holdReasonOf(payment: Pick<PaymentRow, 'kind' | 'state' | 'details'>): string | undefined {
  if (payment.kind === 'deposit' || !isUnsent(payment)) return undefined;
  const noted = payment.details[heldBackDetail];
  // As it was noted while there was one reason alone.
  return noted === 'yes' ? 'PROVIDER_STOPPED' : noted;
}

export const heldFields = {
  hold_reason: maybe(
    text(
      'Why it waits and has not been sent: PROVIDER_STOPPED, PAYOUTS_STOPPED, FIRST_PAYMENT_COOLDOWN, NEW_RECIPIENTS_PER_DAY or LOOKS_PAID',
      'PROVIDER_STOPPED',
    ),
  ),
};

/** `hold_reason` of a status, while it waits. */
export function heldTold(payment: PaymentRow): { hold_reason?: string } {
  const reason = holdReasonOf(payment);
  return reason === undefined ? {} : { hold_reason: reason };
}

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

const unsentStates: readonly PaymentState[] = ['received', 'initiating'];

function isUnsent({ state }: Pick<PaymentRow, 'state'>): boolean {
  return unsentStates.includes(state);
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
