/** What a payment's row tells of its hold: why a payout or a refund is not sent yet, and until when. */
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

/** The reasons of the table of holds, as merchants are told them. */
export const reasonOfHold = {
  first_payment_cooldown: 'FIRST_PAYMENT_COOLDOWN',
  new_recipients_per_day: 'NEW_RECIPIENTS_PER_DAY',
  looks_paid: 'LOOKS_PAID',
} as const satisfies Record<PayoutHoldRow['reason'], HoldReason>;

/**
 * The detail of a payment that was ever on hold, which says why it was last: nobody else ends it because it has not
 * begun.
 */
export const heldBackDetail = 'held_back';
/** The detail beside it: ISO 8601, or empty where only an operator lets it go on. */
const heldUntilDetail = 'held_until';
/** The detail of a payout that was on hold when a database was copied which was restored: when that was. */
const waitedInCopyDetail = 'waited_in_copy';

export interface Hold {
  holdReason: HoldReason;
  /** By the payment's own clock; null where only an operator lets it go on. */
  untilAt: Date | null;
}

/** What is noted with a payment that is on hold. */
export const heldBackDetails = ({ holdReason, untilAt }: Hold): Record<string, string> => ({
  [heldBackDetail]: holdReason,
  [heldUntilDetail]: untilAt?.toISOString() ?? '',
});

export const waitedInCopy = (copiedAt: Date): Record<string, string> => ({
  [waitedInCopyDetail]: copiedAt.toISOString(),
});

/** Whether it was on hold in a copy, and may have gone out since: it is not "never sent" because it is on hold here. */
export function mayHaveGone({ details }: Pick<PaymentRow, 'details'>): boolean {
  return details[waitedInCopyDetail] !== undefined;
}

export function isHeldBack({ details }: Pick<PaymentRow, 'details'>): boolean {
  return details[heldBackDetail] !== undefined;
}

export const unsentStates: readonly PaymentState[] = ['received', 'initiating'];

export function isUnsent({ state }: Pick<PaymentRow, 'state'>): boolean {
  return unsentStates.includes(state);
}

/** Why a payout or a refund is on hold, and until when; undefined for what is not. */
export function holdOf(payment: Pick<PaymentRow, 'kind' | 'state' | 'details'>): Hold | undefined {
  if (payment.kind === 'deposit' || !isUnsent(payment)) return undefined;
  const noted = payment.details[heldBackDetail];
  if (noted === undefined) return undefined;
  const until = payment.details[heldUntilDetail] ?? '';
  return {
    // As it was noted while there was one reason alone.
    holdReason: noted === 'yes' ? 'PROVIDER_STOPPED' : (noted as HoldReason),
    untilAt: until === '' ? null : new Date(until),
  };
}

export const heldFields = {
  hold_reason: maybe(
    text(
      `Only while it is on hold: why it has not been sent: ${holdReasons.join(', ')}`,
      'FIRST_PAYMENT_COOLDOWN',
    ),
  ),
  hold_until: maybe(
    orNull(
      moment('Only while it is on hold: when it is sent by itself. Null: when an operator lets it go on'),
    ),
  ),
};

/** `hold_reason` and `hold_until` of an answer, while the payment is on hold. */
export function heldTold(payment: PaymentRow): { hold_reason?: string; hold_until?: string | null } {
  const hold = holdOf(payment);
  return hold ? { hold_reason: hold.holdReason, hold_until: hold.untilAt?.toISOString() ?? null } : {};
}

/** What waits to be begun asks ever more rarely: after a tenth of the time it has waited, within these. */
const ask = { share: 0.1, soonestMs: 500, latestMs: 60_000 };
/** By when it must have asked again; so much sooner is early enough to write that down. */
const look = { withinMs: 300_000, earlyMs: 120_000 };

/**
 * Plans when a payment that cannot be begun yet asks again, so that nobody else sees to it meanwhile.
 * @param noted details that stay with it.
 * @returns after how many milliseconds.
 */
export async function askAgainLater(
  db: Database,
  payment: PaymentRow,
  noted: Record<string, string> = {},
): Promise<number> {
  const { details } = payment;
  const planned = payment.next_check_at?.getTime() ?? 0;
  const isNews = Object.entries(noted).some(([name, value]) => details[name] !== value);
  if (isNews || payment.wakes > 0 || planned < Date.now() + look.earlyMs) {
    await db('payments')
      .where({ payment_id: payment.payment_id, state: payment.state })
      .update({
        next_check_at: new Date(Date.now() + look.withinMs),
        wakes: 0,
        ...(isNews && { details: JSON.stringify({ ...details, ...noted }) as never }),
      });
  }
  const waitedMs = msSince(payment, payment.created_at);
  return Math.max(ask.soonestMs, Math.min(ask.latestMs, waitedMs * ask.share));
}
