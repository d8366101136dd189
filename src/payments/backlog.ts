import type { Database } from '../store/database';

/** Fewer unread notifications than this are no backlog: one that is stuck must not close the door for all others. */
const backlogFrom = 20;

/** Milliseconds the notifications of open payments have been waiting for their workflows to look at them. */
export async function backlogAgeMs(db: Database): Promise<number> {
  const waiting = await db('inbox')
    .where({ state: 'new' })
    .whereNull('processed_at')
    .whereNotNull('payment_id')
    .orderBy('received_at')
    .offset(backlogFrom - 1)
    .first('received_at');
  return waiting ? Math.max(0, Date.now() - waiting.received_at.getTime()) : 0;
}
