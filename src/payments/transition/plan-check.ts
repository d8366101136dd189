/**
 * The poll schedule as seen from the row: the deadline of a payment's next check. Its workflow waits for the same
 * checks by itself. The row stores the deadline, so that the sweeper finds forgotten checks.
 */
import type { Policy } from '../../domain/commands';
import { checkDueAt, lastCheckAt, type Abandoned, type PaymentFacts } from '../../domain/poll-schedule';
import type { Database, Transaction } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import { inTransaction } from '../../store/transaction';
import { creationTimeOf, endOf, nowOf, wallTimeOf } from '../read/payment-clock';
import { warnedAtDetail } from './warning-details';

export type Planned = Pick<
  PaymentRow,
  | 'state'
  | 'created_at'
  | 'accepted_at'
  | 'accepted_ahead_ms'
  | 'finished_at'
  | 'finished_ahead_ms'
  | 'provider_reference'
  | 'returned_minor'
  | 'refunded_minor'
  | 'confirmed_minor'
  | 'clock_ahead_ms'
  | 'details'
>;

/**
 * The details that store when a queued payment was given up last, by its own clock: the schedule continues from
 * there.
 */
const abandonedDetails = { at: 'given_up_at', times: 'given_up_times', inVain: 'given_up_in_vain' } as const;

export function abandonedOf({ details }: Pick<PaymentRow, 'details'>): Abandoned | undefined {
  const {
    [abandonedDetails.at]: at,
    [abandonedDetails.times]: times,
    [abandonedDetails.inVain]: inVain,
  } = details;
  if (at === undefined) return undefined;
  return { at: new Date(at).getTime(), times: Number(times), inVain: inVain === 'yes' };
}

function factsOf(payment: Planned): PaymentFacts {
  const { state, returned_minor, refunded_minor, confirmed_minor, details } = payment;
  const endedAt = endOf(payment);
  const warnedAt = details[warnedAtDetail];
  const abandoned = abandonedOf(payment);
  return {
    state,
    acceptedAt: creationTimeOf(payment).getTime(),
    isNamed: payment.provider_reference !== null,
    isAllReturned: BigInt(returned_minor) + BigInt(refunded_minor) === BigInt(confirmed_minor ?? 0),
    ...(abandoned && { abandoned }),
    ...(endedAt && { endedAt: endedAt.getTime() }),
    ...(warnedAt !== undefined && { warnedAt: new Date(warnedAt).getTime() }),
  };
}

/** @returns the moment in real time, or null when no check is left. */
export function planCheck(
  policy: Policy,
  payment: Planned,
  now: number = nowOf(payment),
  how?: { unconfirmed: boolean },
): Date | null {
  const due = checkDueAt(policy, factsOf(payment), now, how);
  return due === undefined ? null : wallTimeOf(payment, due);
}

/**
 * Writes the next check of a payment that was just checked and stays in its state, unless another process has planned
 * a check in the meantime.
 */
export async function replanCheck(
  db: Database,
  policy: Policy,
  payment: PaymentRow,
  how: { unconfirmed: boolean },
): Promise<void> {
  const planned = planCheck(policy, payment, nowOf(payment), how);
  if (planned === null && payment.next_check_at === null) return;
  await keepCheck(db, payment, planned);
}

/** Keeps the planned check of a payment without new information, or an earlier one where something new is planned. */
export async function planCheckNoLater(db: Database, policy: Policy, payment: PaymentRow): Promise<void> {
  const planned = planCheck(policy, payment);
  const { next_check_at: at } = payment;
  if (planned && (at === null || planned < at)) await keepCheck(db, payment, planned);
}

/** Notes that a queued payment was given up without the provider's confirmation, and plans the checks that follow. */
export async function noteAbandoned(
  trx: Transaction,
  policy: Policy,
  payment: PaymentRow,
  { inVain }: { inVain: boolean },
): Promise<void> {
  const details = {
    ...payment.details,
    [abandonedDetails.at]: new Date(nowOf(payment)).toISOString(),
    [abandonedDetails.times]: String((abandonedOf(payment)?.times ?? 0) + 1),
    [abandonedDetails.inVain]: inVain ? 'yes' : 'no',
  };
  await trx('payments')
    .where({ payment_id: payment.payment_id })
    .update({
      details: JSON.stringify(details) as never,
      next_check_at: planCheck(policy, { ...payment, details }),
      signals: 0,
    });
}

/**
 * Since when a due check is due: since the last scheduled check, or else since the payment's end.
 * @returns a moment of the payment's own clock, in milliseconds since 1970.
 */
export function dueSince(policy: Policy, payment: Planned, now: number): number {
  const ended = (endOf(payment) ?? payment.created_at).getTime();
  return Math.max(ended, lastCheckAt(policy, factsOf(payment), now) ?? ended);
}

/** Written in a transaction of its own, which is repeated after a conflict with a transition of the same payment. */
export async function keepCheck(db: Database, payment: PaymentRow, planned: Date | null): Promise<void> {
  await inTransaction(db, (trx) => writeCheck(trx, payment, planned));
}

/** @returns whether it was written: another process may have planned a check in the meantime. */
export async function writeCheck(
  trx: Transaction,
  payment: PaymentRow,
  planned: Date | null,
): Promise<boolean> {
  const written = await trx('payments')
    .where({ payment_id: payment.payment_id, state: payment.state, next_check_at: payment.next_check_at })
    .update({ next_check_at: planned, signals: 0 });
  return written === 1;
}

/** Whether a check is overdue, claimed or not: the next review then polls the provider. */
export function isCheckOverdue({ next_check_at: at, signals }: PaymentRow): boolean {
  return signals > 0 || (at !== null && at.getTime() <= Date.now());
}
