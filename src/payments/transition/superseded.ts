/**
 * Which status of a payment replaces which. A status that a later one of the same payment has replaced is not sent any
 * more: whoever acts on it would act on what is not so any longer. What carries an amount of its own is never replaced:
 * money that goes back, comes back or is there again is a fact of its own, whatever follows.
 */
import { isSettled, type PaymentState } from '../../domain/payment';
import type { PaymentRow } from '../../store/tables';

/** As `replaceable` of an outbox row and of an event: what may replace it. */
const replaceableBy = {
  /** A refund, a reversal, a return, a correction of money; and that a payment was taken on, which stays true. */
  nothing: 0,
  /** It said that nothing is paid, or not yet. */
  anyStatus: 1,
  /** It said that it is paid: it is replaced once nothing of the money is left. */
  theEndOfTheMoney: 2,
} as const;

/** As `replaces`: it replaces what is `replaceable` up to this. */
const replaces = { nothing: 0, unpaid: 1, all: 2 } as const;

const progress: readonly PaymentState[] = ['received', 'initiating', 'pending'];
const unpaid: readonly PaymentState[] = ['queued', 'processing', 'failed', 'cancelled', 'timed_out'];

export interface Precedence {
  replaceable: number;
  replaces: number;
}

/** @param before what the payment was; undefined for one that is just taken on. */
export function precedenceOf(now: PaymentRow, before: PaymentRow | undefined): Precedence {
  if (progress.includes(now.state)) return { replaceable: replaceableBy.nothing, replaces: replaces.nothing };
  if (unpaid.includes(now.state)) return { replaceable: replaceableBy.anyStatus, replaces: replaces.all };
  const isPaid = now.state === 'succeeded';
  // It corrects an ending, or money is there again.
  const corrects = isPaid && before !== undefined && (before.is_final === 1 || isSettled(before.state));
  return {
    replaceable: isPaid && !corrects ? replaceableBy.theEndOfTheMoney : replaceableBy.nothing,
    replaces: isLeft(now) ? replaces.unpaid : replaces.all,
  };
}

/** Whether something is left of a deposit of which a part went back. */
function isLeft({ kind, state, confirmed_minor: confirmed, given_back_minor, refunded_minor }: PaymentRow) {
  if (kind !== 'deposit' || (state !== 'refunded' && state !== 'reversed')) return false;
  return BigInt(given_back_minor) + BigInt(refunded_minor) < BigInt(confirmed ?? 0);
}

/**
 * Whether the merchant may have been sent a webhook before that one of `now` replaces. Most payments end without: they
 * are spared the statement.
 */
export function mayHaveToldBefore(announces: (payment: PaymentRow) => boolean, before: PaymentRow): boolean {
  if (progress.includes(before.state)) return false;
  if (before.state !== 'processing') return true;
  return (['queued', 'processing'] as const).some((state) => announces({ ...before, state }));
}
