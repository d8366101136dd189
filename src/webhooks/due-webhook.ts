/** What the deliverer reads and writes. Every guard sits in the WHERE of its update. */
import type { Database } from '../store/database';
import type { MerchantRow, OutboxRow } from '../store/tables';
import { inTransaction } from '../store/transaction';
import { inMs, noteAttempt, notSent, type Attempt } from './attempts';

export type DueWebhook = OutboxRow &
  Pick<MerchantRow, 'callback_url' | 'webhook_url' | 'webhook_secret' | 'previous_webhook_secret'> & {
    /** Milliseconds until it may be sent, by the database's clock; in digits, as the driver shows whole numbers. */
    due_in_ms: string;
    /** Milliseconds for which an earlier one of the payment may still be under way; NULL where none is. */
    earlier_ends_in_ms: string | null;
  };

/** @throws Error when there is no such webhook. */
export async function readDueWebhook(db: Database, webhookId: string): Promise<DueWebhook> {
  const webhook = await db('outbox as o')
    .join('merchants as m', 'm.merchant_id', 'o.merchant_id')
    .where('o.webhook_id', webhookId)
    .first<DueWebhook | undefined>(
      'o.*',
      'm.callback_url',
      'm.webhook_url',
      'm.webhook_secret',
      'm.previous_webhook_secret',
      db.raw('TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(3), o.next_at) DIV 1000 AS due_in_ms'),
      db.raw(`(
        SELECT TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(3), MAX(e.claimed_until)) DIV 1000 FROM outbox e
        WHERE e.payment_id = o.payment_id AND e.claimed_until > UTC_TIMESTAMP(3) AND e.sequence < o.sequence
      ) AS earlier_ends_in_ms`),
    );
  if (!webhook) throw new Error(`webhook ${webhookId} does not exist`);
  return webhook;
}

/**
 * Takes a due webhook for the caller alone by moving its due time to when the claim ends. Until the try is noted, a later
 * one of the payment waits.
 * @returns false when somebody else was faster.
 */
export async function claim(db: Database, webhook: DueWebhook, claimMs: number): Promise<boolean> {
  const changed = await db('outbox')
    .where({ webhook_id: webhook.webhook_id, state: 'pending', tries: webhook.tries })
    .where('next_at', '<=', db.raw('UTC_TIMESTAMP(3)'))
    .update({ next_at: inMs(db, claimMs), claimed_until: inMs(db, claimMs) });
  return changed === 1;
}

/**
 * @returns `moved_on` when somebody else has moved the webhook on meanwhile, `superseded` when a later status has replaced
 *   it; the attempt is written down all the same.
 */
export function recordAttempt(
  db: Database,
  webhook: DueWebhook,
  url: string,
  attempt: Attempt,
): Promise<'noted' | 'moved_on' | 'superseded'> {
  const { n, result, pauseMs } = attempt;
  const isDelivered = result.error === null;
  return inTransaction(db, async (trx) => {
    const row = trx('outbox').where({ webhook_id: webhook.webhook_id });
    // A delivery counts whatever others did meanwhile; a failure only where nobody else has taken over.
    void (isDelivered
      ? row.whereNot({ state: 'delivered' })
      : row.where({ state: 'pending', tries: webhook.tries }));
    const changed = await row.update(
      pauseMs === undefined
        ? {
            state: isDelivered ? 'delivered' : 'dead',
            tries: n,
            settled_at: inMs(trx, 0),
            claimed_until: null,
          }
        : { tries: n, next_at: inMs(trx, pauseMs), claimed_until: null },
    );
    // Replaced while it was under way: the later one waits no longer.
    const wasSuperseded =
      changed === 0 &&
      (await trx('outbox')
        .where({ webhook_id: webhook.webhook_id, state: 'superseded', tries: webhook.tries })
        .update({ tries: n, claimed_until: null })) === 1;
    await noteAttempt(trx, { webhookId: webhook.webhook_id, url }, attempt);
    if (wasSuperseded) return 'superseded';
    return changed === 1 ? 'noted' : 'moved_on';
  });
}

/** @returns false when somebody else has moved the webhook on meanwhile. */
export function recordUnaddressed(db: Database, webhook: DueWebhook, error: string): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const changed = await trx('outbox')
      .where({ webhook_id: webhook.webhook_id, state: 'pending', tries: webhook.tries })
      .update({ state: 'unaddressed', settled_at: inMs(trx, 0) });
    if (changed === 0) return false;
    const attempt = { n: webhook.tries + 1, result: notSent(error) };
    await noteAttempt(trx, { webhookId: webhook.webhook_id, url: null }, attempt);
    return true;
  });
}
