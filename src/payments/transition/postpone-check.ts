/**
 * When a look is tried again that was due and of which nothing was learnt, and when it is given up. What has become of
 * the payment since is what its rows tell: nothing is kept of the looks themselves.
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
/** How long a look is put off: for a quarter of the time it has been due, within these, so that many spread. */
const pause = { leastMs: 5 * minute, mostMs: 6 * 60 * minute, share: 0.25 };
/** After a week the next look has to do, and a person is told. */
const endsAfterMs = 7 * day;

/**
 * Puts off a look, so that it is neither lost nor repeated at once.
 * @param mayGiveUp the provider itself was asked about it, and left it unanswered: at last it is given up.
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
    since = Math.max(since, await lastNewsAt(db, payment));
    if (now - since > endsAfterMs / timeScale) return giveUpCheck(db, policy, payment);
  }
  await keepCheck(db, payment, againAfter(policy, payment, { now, since, timeScale }));
}

/** A provider may have forgotten thousands of payments: they make one case. */
async function giveUpCheck(db: Database, policy: Policy, payment: PaymentRow): Promise<void> {
  await inTransaction(db, async (trx) => {
    const isWritten = await writeCheck(trx, payment, planCheck(policy, payment));
    if (isWritten) await openRailCase(trx, payment.rail, 'look_unanswered', payment.payment_id);
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
 * When something happened last that a payment is looked at for besides its schedule: a notification, the end of a
 * refund of it, or what was learnt of a refund that had ended. By the payment's own clock; 0 where nothing has.
 */
async function lastNewsAt(db: Database, payment: PaymentRow): Promise<number> {
  const { payment_id: id, clock_ahead_ms: aheadMs } = payment;
  const told = await db('inbox')
    .where({ payment_id: id })
    .orderBy('received_at', 'desc')
    .first('received_at');
  const refund = await db('payments')
    .where({ parent_id: id })
    .whereNotNull('finished_at')
    .orderBy('finished_at', 'desc')
    .first('finished_at');
  const doubt = await db('cases')
    .join('payments', 'payments.payment_id', 'cases.payment_id')
    .where('payments.parent_id', id)
    .orderBy('cases.opened_at', 'desc')
    .first<{ opened_at: Date } | undefined>('cases.opened_at');
  const last = Math.max(
    ...[told?.received_at, doubt?.opened_at, refund?.finished_at].map((at) => at?.getTime() ?? -Infinity),
  );
  return last + Number(aheadMs);
}
