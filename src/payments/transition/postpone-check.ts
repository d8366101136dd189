/**
 * When a due check without a result is repeated, and when it is given up. The payment's rows show every change since;
 * the checks themselves leave no record.
 */
import type { Policy } from '../../domain/commands';
import type { Database } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import { inTransaction } from '../../store/transaction';
import { openRailCase } from '../../controls/cases';
import { nowOf, wallTimeOf } from '../read/payment-clock';
import { dueSince, keepCheck, planCheck, writeCheck } from './plan-check';

const minute = 60_000;
const day = 24 * 60 * minute;
/**
 * How long a check is postponed: a quarter of the time it has been due, within these limits, so that many checks
 * spread.
 */
const pause = { leastMs: 5 * minute, mostMs: 6 * 60 * minute, share: 0.25 };
/** After a week without an answer a case is opened, and the next scheduled check replaces this one. */
const endsAfterMs = 7 * day;

/**
 * Postpones a check, so that it is neither lost nor repeated at once.
 * @param mayGiveUp whether the provider was polled and did not answer: after a week the check is given up.
 */
export async function postponeCheck(
  db: Database,
  policy: Policy,
  payment: PaymentRow,
  { timeScale, mayGiveUp }: { timeScale: number; mayGiveUp: boolean },
): Promise<void> {
  const now = nowOf(payment);
  let since = dueSince(policy, payment, now);
  if (mayGiveUp) {
    since = Math.max(since, await lastEventAt(db, payment));
    if (now - since > endsAfterMs / timeScale) return giveUpCheck(db, policy, payment);
  }
  await keepCheck(db, payment, againAfter(policy, payment, { now, since, timeScale }));
}

/** A provider may have forgotten thousands of payments: they share one case. */
async function giveUpCheck(db: Database, policy: Policy, payment: PaymentRow): Promise<void> {
  await inTransaction(db, async (trx) => {
    const isWritten = await writeCheck(trx, payment, planCheck(policy, payment));
    if (isWritten) await openRailCase(trx, payment.rail, 'check_unanswered', payment.payment_id);
  });
}

function againAfter(
  policy: Policy,
  payment: PaymentRow,
  { now, since, timeScale }: { now: number; since: number; timeScale: number },
): Date {
  const leastMs = Math.max(pause.leastMs / timeScale, (now - since) * pause.share);
  const pauseMs = Math.min(pause.mostMs / timeScale, leastMs) * (0.75 + Math.random() / 2);
  const again = wallTimeOf(payment, now + pauseMs);
  const planned = planCheck(policy, payment, now);
  return planned && planned < again ? planned : again;
}

/**
 * The last event that causes a check outside the schedule: a notification, the end of a refund of the payment, or new
 * information about an ended refund. By the payment's own clock; 0 where there is none.
 */
async function lastEventAt(db: Database, payment: PaymentRow): Promise<number> {
  const { payment_id: id, clock_ahead_ms: aheadMs } = payment;
  const reported = await db('inbox')
    .where({ payment_id: id })
    .orderBy('received_at', 'desc')
    .first('received_at');
  const refund = await db('payments')
    .where({ parent_id: id })
    .whereNotNull('finished_at')
    .orderBy('finished_at', 'desc')
    .first('finished_at');
  const reviewReason = await db('cases')
    .join('payments', 'payments.payment_id', 'cases.payment_id')
    .where('payments.parent_id', id)
    .orderBy('cases.opened_at', 'desc')
    .first<{ opened_at: Date } | undefined>('cases.opened_at');
  const last = Math.max(
    ...[reported?.received_at, reviewReason?.opened_at, refund?.finished_at].map(
      (at) => at?.getTime() ?? -Infinity,
    ),
  );
  return last + Number(aheadMs);
}
