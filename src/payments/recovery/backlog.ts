import type { Database } from '../../store/database';

/** Fewer waiting items than this are no backlog: one blocked item must not refuse requests for all merchants. */
const backlogFrom = { notifications: 20, payments: 10 };
/** A payment that was not started for this long belongs to the sweeper and says nothing about the present load. */
const begunWithinMs = 30_000;
/** A payment that only waits for a worker never has its first check this far ahead (see read/on-hold.ts). */
const heldBackFromMs = 60_000;

/** Milliseconds that work has waited for a worker: unread notifications, or accepted payments that were not started. */
export async function backlogAgeMs(db: Database): Promise<number> {
  const waiting = await Promise.all([unreadSince(db), notBegunSince(db)]);
  return Math.max(0, ...waiting.map((since) => (since ? Date.now() - since.getTime() : 0)));
}

async function unreadSince(db: Database): Promise<Date | undefined> {
  const waiting = await db('inbox')
    .where({ state: 'new' })
    .whereNull('processed_at')
    .whereNotNull('payment_id')
    // Anybody may send unverified events. They say nothing about the delay of a provider's notifications, and must
    // not refuse requests.
    .whereNull('follow_at')
    .orderBy('received_at')
    .offset(backlogFrom.notifications - 1)
    .first('received_at');
  return waiting?.received_at;
}

/**
 * The oldest payment that should have been started. A refund may wait for its queue position behind another, a bulk's
 * payouts start at a limited pace, and a payment on hold has its next check far ahead. Every other payment starts as
 * soon as a worker is free.
 */
async function notBegunSince(db: Database): Promise<Date | undefined> {
  const waiting = await db('payments')
    .where({ is_final: 0, state: 'received' })
    .where('updated_at', '>', new Date(Date.now() - begunWithinMs))
    .where('next_check_at', '<', new Date(Date.now() + heldBackFromMs))
    .whereNull('parent_id')
    .whereNotExists((bulk) => {
      void bulk.select(db.raw('1')).from('bulk_rows').whereRaw('bulk_rows.payment_id = payments.payment_id');
    })
    .orderBy('updated_at')
    .offset(backlogFrom.payments - 1)
    .first('updated_at');
  return waiting?.updated_at;
}
