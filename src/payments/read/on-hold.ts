/** What a payment's row says about its hold: why a payout or a refund is not sent yet, and until when. */
import type { PaymentState } from '../../domain/payment';
import { maybe, moment, orNull, text } from '../../rail-kit/answer-fields';
import type { Database } from '../../store/database';
import type { PaymentRow, PayoutHoldRow } from '../../store/tables';
import { msSince } from './payment-clock';

export const holdReasons = [
  'PROVIDER_STOPPED',
  'PAYOUTS_STOPPED',
  'FIRST_PAYMENT_COOLDOWN',
  'NEW_RECIPIENTS_PER_DAY',
  'LOOKS_PAID',
] as const;
export type HoldReason = (typeof holdReasons)[number];

/** The hold reasons of the table of holds, as merchants see them. */
export const reasonOfHold = {
  first_payment_cooldown: 'FIRST_PAYMENT_COOLDOWN',
  new_recipients_per_day: 'NEW_RECIPIENTS_PER_DAY',
  looks_paid: 'LOOKS_PAID',
} as const satisfies Record<PayoutHoldRow['reason'], HoldReason>;

/**
 * The detail of a payment that was ever on hold, with the last reason. No other process ends such a payment for not
 * having started.
 */
export const onHoldDetail = 'on_hold';
/** The detail beside it: ISO 8601, or empty where only an operator can release the payment. */
const onHoldUntilDetail = 'held_until';
/** The detail of a payout that was on hold in the copy from which a database was restored: the time of the copy. */
const waitedInCopyDetail = 'waited_in_copy';

export interface Hold {
  holdReason: HoldReason;
  /** By the payment's own clock; null where only an operator can release the payment. */
  untilAt: Date | null;
}

/** The details of a payment on hold. */
export const onHoldDetails = ({ holdReason, untilAt }: Hold): Record<string, string> => ({
  [onHoldDetail]: holdReason,
  [onHoldUntilDetail]: untilAt?.toISOString() ?? '',
});

export const waitedInCopy = (copiedAt: Date): Record<string, string> => ({
  [waitedInCopyDetail]: copiedAt.toISOString(),
});

/**
 * True for a payout that was on hold in the copy: it may have been sent since. Its hold here does not prove "never
 * sent".
 */
export function isPossiblySent({ details }: Pick<PaymentRow, 'details'>): boolean {
  return details[waitedInCopyDetail] !== undefined;
}

export function isOnHold({ details }: Pick<PaymentRow, 'details'>): boolean {
  return details[onHoldDetail] !== undefined;
}

export const unsentStates: readonly PaymentState[] = ['received', 'initiating'];

export function isUnsent({ state }: Pick<PaymentRow, 'state'>): boolean {
  return unsentStates.includes(state);
}

/** Why a payout or a refund is on hold, and until when; undefined for any other payment. */
export function holdOf(payment: Pick<PaymentRow, 'kind' | 'state' | 'details'>): Hold | undefined {
  if (payment.kind === 'deposit' || !isUnsent(payment)) return undefined;
  const noted = payment.details[onHoldDetail];
  if (noted === undefined) return undefined;
  const until = payment.details[onHoldUntilDetail] ?? '';
  return {
    // An older version noted `yes`, when there was one reason only.
    holdReason: noted === 'yes' ? 'PROVIDER_STOPPED' : (noted as HoldReason),
    untilAt: until === '' ? null : new Date(until),
  };
}

export const heldFields = {
  hold_reason: maybe(
    text(
      `The reason of the hold: ${holdReasons.join(', ')}. Only while the payout is on hold`,
      'FIRST_PAYMENT_COOLDOWN',
    ),
  ),
  hold_until: maybe(
    orNull(
      moment(
        'When the hold ends by itself; null if an operator must end it. Only while the payout is on hold',
      ),
    ),
  ),
};

/** `hold_reason` and `hold_until` of an answer, while the payment is on hold. */
export function holdFields(payment: PaymentRow): { hold_reason?: string; hold_until?: string | null } {
  const hold = holdOf(payment);
  return hold ? { hold_reason: hold.holdReason, hold_until: hold.untilAt?.toISOString() ?? null } : {};
}

/** How long a payment on hold waits before it asks again: a tenth of the time it has waited, within these limits. */
const ask = { share: 0.1, soonestMs: 500, latestMs: 60_000 };
/** The deadline by which it must have asked again. The row is rewritten only when less than `earlyMs` of it is left. */
const checkWindow = { withinMs: 300_000, earlyMs: 120_000 };

/**
 * Plans when a payment that cannot start yet asks again, so that no other process acts on it before.
 * @param noted details to store with it.
 * @returns the delay in milliseconds.
 */
export async function askAgainLater(
  db: Database,
  payment: PaymentRow,
  noted: Record<string, string> = {},
): Promise<number> {
  const { details } = payment;
  const planned = payment.next_check_at?.getTime() ?? 0;
  const isNew = Object.entries(noted).some(([name, value]) => details[name] !== value);
  if (isNew || payment.signals > 0 || planned < Date.now() + checkWindow.earlyMs) {
    await db('payments')
      .where({ payment_id: payment.payment_id, state: payment.state })
      .update({
        next_check_at: new Date(Date.now() + checkWindow.withinMs),
        signals: 0,
        ...(isNew && { details: JSON.stringify({ ...details, ...noted }) as never }),
      });
  }
  const waitedMs = msSince(payment, payment.created_at);
  return Math.max(ask.soonestMs, Math.min(ask.latestMs, waitedMs * ask.share));
}
