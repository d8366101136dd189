import type { Database } from '../../store/database';

/** Fewer that wait than this are no backlog: one that is stuck must not close the door for all others. */
const backlogFrom = { notifications: 20, payments: 10 };
/** A payment that was not begun for so long is the sweeper's, and says nothing about now. */
const begunWithinMs = 30_000;
/** Nobody plans the first look at a payment so far ahead that is only waiting for a worker (see read/on-hold.ts). */
const heldBackFromMs = 60_000;

/** Milliseconds that work has been waiting for a worker: notifications to be read, or accepted payments to be begun. */
export async function backlogAgeMs(db: Database): Promise<number> {
  const waiting = await Promise.all([unreadSince(db), notBegunSince(db)]);
  return Math.max(0, ...waiting.map((since) => (since ? Date.now() - since.getTime() : 0)));
}

async function unreadSince(db: Database): Promise<Date | undefined> {
  const waiting = await db('inbox')
    .where({ state: 'new' })
    .whereNull('processed_at')
    .whereNotNull('payment_id')
    // What anybody may send tells nothing of how long a provider's word waits, and closes no door.
    .whereNull('follow_at')
    .orderBy('received_at')
    .offset(backlogFrom.notifications - 1)
    .first('received_at');
  return waiting?.received_at;
}

/**
 * A refund may be waiting for its turn behind another, a bulk's payouts are begun at a pace, and what is held back has
 * its next look far ahead; every other payment is begun as soon as a worker is free.
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
