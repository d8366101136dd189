/**
 * By when somebody must have looked at a payment again, from its operation's policy and the payment's own times. A
 * workflow keeps its appointments by itself; this is the database's word for them, by which the sweeper sees what was
 * forgotten. What was paid has no workflow that waits: its looks are due when they are planned.
 */
import type { Policy } from '../../domain/commands';
import { isSettled, type PaymentState } from '../../domain/payment';
import type { Database, Transaction } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import { inTransaction } from '../../store/transaction';
import { acceptanceOf, endOf, nowOf, wallTimeOf } from '../read/payment-clock';
import { warnedAtDetail } from './warning-details';

const second = 1_000;
const minute = 60 * second;
const day = 24 * 60 * minute;

/** A written payment whose workflow has not begun after this long has none. */
export const startAfterMs = 2 * second;
/** An instruction is answered, or counts as lost, in less. */
const instructedWithinMs = minute;
/** What is open after all its appointments is a person's question, and is asked about once a day. */
const afterWatchMs = day;
/** How late a look may be before somebody else sees to it: a tenth of the wait, within these. */
const grace = { leastMs: minute, mostMs: 10 * minute, share: 0.1 };

export type Planned = Pick<
  PaymentRow,
  | 'state'
  | 'created_at'
  | 'accepted_at'
  | 'accepted_ahead_ms'
  | 'finished_at'
  | 'finished_ahead_ms'
  | 'provider_reference'
  | 'given_back_minor'
  | 'refunded_minor'
  | 'confirmed_minor'
  | 'clock_ahead_ms'
  | 'details'
>;

type Appointments = (policy: Policy, payment: Planned, now: number) => number[];

/** What is still planned in each state, as moments of the payment's own clock; those in the past do not count. */
const appointmentsIn: Record<PaymentState, Appointments> = {
  received: (_policy, _payment, now) => [now + startAfterMs],
  initiating: (_policy, _payment, now) => [now + instructedWithinMs],
  pending: (policy, payment, now) => [...sinceAcceptance(policy, payment), now + afterWatchMs],
  queued: (policy, payment, now) => [
    ...sinceAcceptance(policy, payment),
    ...after(acceptanceOf(payment), policy.queuedMaxMs === undefined ? [] : [policy.queuedMaxMs]),
    ...after(acceptanceOf(payment), policy.remindersMs ?? []),
    now + afterWatchMs,
  ],
  processing: (policy, payment, now) => [...sinceAcceptance(policy, payment), now + afterWatchMs],
  timed_out: sinceAcceptance,
  failed: (policy, payment) => (policy.failureIsSoft === true ? sinceAcceptance(policy, payment) : []),
  succeeded: sinceSuccess,
  refunded: sinceGivenBack,
  cancelled: () => [],
  reversed: sinceGivenBack,
  returned: () => [],
};

/** @returns the moment in wall time, or null when the watch is over. */
export function planLook(policy: Policy, payment: Planned, now: number = nowOf(payment)): Date | null {
  const coming = appointmentsIn[payment.state](policy, payment, now).filter((at) => at > now);
  if (coming.length === 0) return null;
  const next = Math.min(...coming);
  const isKeptByRow = payment.state === 'received' || isSettled(payment.state);
  return wallTimeOf(payment, isKeptByRow ? next : next + graceMs(policy, next - now));
}

/** What was reported awaits the provider's own word, which the workflow asks for soon. */
function planConfirmation(policy: Policy, payment: Planned): Date {
  const now = nowOf(payment);
  const soon = wallTimeOf(payment, now + (policy.confirmDelaysMs.at(-1) ?? 0) + graceMs(policy, 0));
  const planned = planLook(policy, payment, now);
  return planned && planned < soon ? planned : soon;
}

/**
 * Writes down when a payment that was just looked at, and stays where it is, is looked at next; unless somebody has planned
 * another look meanwhile, which this one knew nothing of.
 */
export async function replanLook(
  db: Database,
  policy: Policy,
  payment: PaymentRow,
  { unconfirmed }: { unconfirmed: boolean },
): Promise<void> {
  const planned = unconfirmed ? planConfirmation(policy, payment) : planLook(policy, payment);
  if (planned === null && payment.next_look_at === null) return;
  await keepLook(db, payment, planned);
}

/** What was not learnt anything of is looked at when it was to be, or sooner where something new is planned. */
export async function planLookNoLater(db: Database, policy: Policy, payment: PaymentRow): Promise<void> {
  const planned = planLook(policy, payment);
  const { next_look_at: at } = payment;
  if (planned && (at === null || planned < at)) await keepLook(db, payment, planned);
}

/**
 * Since when a look that is due has been: the last appointment that has passed, or else the payment's end.
 * @returns a moment of the payment's own clock, in milliseconds since 1970.
 */
export function dueSince(policy: Policy, payment: Planned, now: number): number {
  const passed = appointmentsIn[payment.state](policy, payment, now).filter((at) => at <= now);
  return Math.max((endOf(payment) ?? payment.created_at).getTime(), ...passed);
}

/** Written in a transaction of its own, which is repeated where it met another that moves the same payment. */
export async function keepLook(db: Database, payment: PaymentRow, planned: Date | null): Promise<void> {
  await inTransaction(db, (trx) => writeLook(trx, payment, planned));
}

/** @returns whether it was written: somebody may have planned another look meanwhile. */
export async function writeLook(
  trx: Transaction,
  payment: PaymentRow,
  planned: Date | null,
): Promise<boolean> {
  const written = await trx('payments')
    .where({ payment_id: payment.payment_id, state: payment.state, next_look_at: payment.next_look_at })
    .update({ next_look_at: planned, wakes: 0 });
  return written === 1;
}

/** Whether nobody has looked by the time somebody should have: whoever looks next asks the provider. */
export function isLookOverdue({ next_look_at: at, wakes }: PaymentRow): boolean {
  return wakes > 0 || (at !== null && at.getTime() <= Date.now());
}

function sinceAcceptance(policy: Policy, payment: Planned): number[] {
  const from = acceptanceOf(payment);
  const blindMs = payment.provider_reference === null ? policy.unknownDeadlineMs : undefined;
  const checks = blindMs === undefined ? policy.checksMs : [blindMs];
  return after(from, [...checks, ...policy.rechecksMs, policy.watchMs]);
}

function sinceSuccess(policy: Policy, payment: Planned): number[] {
  const endedAt = endOf(payment);
  const later = endedAt ? after(endedAt, policy.afterSuccessChecksMs ?? []) : [];
  return [...later, ...sinceWarning(policy, payment)];
}

/** What is left of it may go back, too; and all of it may come again where a dispute is won. */
function sinceGivenBack(policy: Policy, payment: Planned): number[] {
  const { given_back_minor, refunded_minor, confirmed_minor } = payment;
  const isAll = BigInt(given_back_minor) + BigInt(refunded_minor) === BigInt(confirmed_minor ?? 0);
  return isAll ? sinceWarning(policy, payment) : sinceSuccess(policy, payment);
}

function sinceWarning({ afterWarningChecksMs = [] }: Policy, { details }: Planned): number[] {
  const warnedAt = details[warnedAtDetail];
  return warnedAt === undefined ? [] : after(new Date(warnedAt), afterWarningChecksMs);
}

function after(from: Date, delaysMs: number[]): number[] {
  return delaysMs.map((ms) => from.getTime() + ms);
}

function graceMs({ lookGraceMs = grace.leastMs }: Policy, waitMs: number): number {
  return Math.max(lookGraceMs, Math.min(grace.mostMs, waitMs * grace.share));
}
