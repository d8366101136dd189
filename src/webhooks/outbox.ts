/** The webhooks that we owe merchants, one row each, written in the transaction of the change that they report. */
import { v7 as uuidV7, validate as isUuid } from 'uuid';
import type { PaymentState } from '../domain/payment';
import type { Database, Transaction } from '../store/database';
import type { OutboxRow, WebhookDeliveryRow } from '../store/tables';
import { inTransaction } from '../store/transaction';

export interface NewWebhook {
  /** Where the body contains it, too. */
  webhookId?: string;
  paymentId: string;
  merchantId: string;
  /** The state the payment has entered. */
  toState: PaymentState;
  /** The `X-Callback-Type` header. */
  callbackType: string;
  endpoint: OutboxRow['endpoint'];
  body: Record<string, unknown>;
  /** The body's field with the time of sending, where there is one: it is set at each try. */
  sentAtField?: string;
  requestId: string | null;
  /** The sequence number of the payment's change; the body has it, too. */
  sequence?: number;
  /** What may replace it, and what it replaces: see payments/transition/write-webhook.ts. Nothing by default. */
  replaceable?: number;
  replaces?: number;
}

/**
 * Writes a webhook that is due at once. Its text is fixed here and sent at every try, except for the field with the
 * time of sending.
 * @returns the webhook id, which merchants see as `webhook-id` and use to drop repeats.
 */
export async function enqueueWebhook(trx: Transaction, webhook: NewWebhook): Promise<string> {
  const { webhookId = uuidV7() } = webhook;
  const now = trx.raw<Date>('UTC_TIMESTAMP(3)');
  await trx('outbox').insert({
    webhook_id: webhookId,
    payment_id: webhook.paymentId,
    merchant_id: webhook.merchantId,
    to_state: webhook.toState,
    callback_type: webhook.callbackType,
    endpoint: webhook.endpoint,
    body: JSON.stringify(webhook.body),
    sent_at_field: webhook.sentAtField ?? null,
    request_id: webhook.requestId,
    sequence: webhook.sequence ?? null,
    replaceable: webhook.replaceable ?? 0,
    replaces: webhook.replaces ?? 0,
    next_at: now,
    created_at: now,
  });
  return webhookId;
}

/** States from which a webhook has not arrived. */
const notArrived = ['pending', 'dead', 'unaddressed'] as const satisfies readonly OutboxRow['state'][];

/**
 * Ends the webhooks that a later status of the payment replaces, in the transaction that writes that status. They are
 * not sent any more, nor again. A try that is under way is still stored, and the later webhook waits for its end.
 */
export async function supersede(
  trx: Transaction,
  { paymentId, by, replaces }: { paymentId: string; by: string; replaces: number },
): Promise<void> {
  const places = notArrived.map(() => '?').join(', ');
  // Assigned from left to right: the state comes last.
  await trx.raw(
    `UPDATE outbox
     SET superseded_by = ?,
         settled_at = IF(state IN (${places}), UTC_TIMESTAMP(3), settled_at),
         state = IF(state IN (${places}), 'superseded', state)
     WHERE payment_id = ? AND replaceable BETWEEN 1 AND ? AND superseded_by IS NULL`,
    [by, ...notArrived, ...notArrived, paymentId, replaces],
  );
}

/**
 * Id columns are ASCII, and the database refuses to compare them with other text; a text that is no id matches
 * nothing.
 */
function asciiId(text: string): string {
  return isUuid(text) ? text : '';
}

export interface WebhookFilter {
  webhookId?: string | undefined;
  paymentId?: string | undefined;
  merchantId?: string | undefined;
  state?: OutboxRow['state'] | undefined;
  /** The most rows; 100 by default. */
  limit?: number | undefined;
}

/** Webhooks, newest first; those of one state by due time. Each query uses an index in this order. */
export async function listWebhooks(
  db: Database | Transaction,
  filter: WebhookFilter = {},
): Promise<OutboxRow[]> {
  const { webhookId, paymentId, merchantId, state, limit = 100 } = filter;
  const ids = { webhook_id: webhookId, payment_id: paymentId, merchant_id: merchantId };
  const query = db('outbox').limit(limit);
  if (merchantId !== undefined) void query.orderBy('created_at', 'desc');
  else if (state !== undefined) void query.orderBy('next_at', 'desc');
  void query.orderBy('webhook_id', 'desc');
  for (const [column, id] of Object.entries(ids)) {
    if (id !== undefined) void query.where(column, asciiId(id));
  }
  if (state !== undefined) void query.where({ state });
  return query;
}

/** Every try of these webhooks, oldest first. */
export function listDeliveries(
  db: Database | Transaction,
  webhookIds: string[],
): Promise<WebhookDeliveryRow[]> {
  return db('webhook_deliveries').whereIn('webhook_id', webhookIds).orderBy('delivery_id');
}

/**
 * The webhooks to send again: one webhook, or those of one payment, in any state; of a merchant only those that never
 * arrived, because nobody needs a merchant's whole history; or all that were given up since a moment.
 */
export type ReplaySelection =
  { webhookId: string } | { paymentId: string } | { merchantId: string } | { deadSince: Date };

/**
 * Makes ended webhooks pending again, due at once, with all their tries from the start and the same webhook id. A
 * webhook with a pruned body cannot be sent, and a status that a later one has replaced is not sent any more.
 * @returns the ids of the webhooks to deliver now, oldest first; empty when nothing matched.
 */
export function replayWebhooks(
  db: Database,
  selection: ReplaySelection,
  alongside?: (trx: Transaction, webhookIds: string[]) => Promise<void>,
): Promise<string[]> {
  return inTransaction(db, async (trx) => {
    const query = settled(trx, selection)
      .whereNull('body_pruned_at')
      .whereNull('superseded_by')
      .orderBy('webhook_id')
      .forUpdate();
    const webhookIds = (await query.select('webhook_id')).map((row) => row.webhook_id);
    await trx('outbox')
      .whereIn('webhook_id', webhookIds)
      .update({ state: 'pending', tries: 0, next_at: trx.raw<Date>('UTC_TIMESTAMP(3)'), settled_at: null });
    if (webhookIds.length > 0) await alongside?.(trx, webhookIds);
    return webhookIds;
  });
}

/**
 * How many of the selected webhooks are not sent again: a later status has replaced them, or their bodies are pruned.
 */
export async function countNotSentAgain(
  db: Database,
  selection: ReplaySelection,
): Promise<{ superseded: number; pruned: number }> {
  const [row] = await settled(db, selection).select<{ superseded: string | null; pruned: string | null }[]>(
    db.raw('SUM(superseded_by IS NOT NULL) AS superseded'),
    db.raw('SUM(superseded_by IS NULL AND body_pruned_at IS NOT NULL) AS pruned'),
  );
  return { superseded: Number(row?.superseded ?? 0), pruned: Number(row?.pruned ?? 0) };
}

function settled(db: Database | Transaction, selection: ReplaySelection) {
  const outbox = db('outbox');
  if ('deadSince' in selection) {
    return outbox.where({ state: 'dead' }).where('settled_at', '>=', selection.deadSince);
  }
  if ('merchantId' in selection) {
    return outbox
      .where('merchant_id', asciiId(selection.merchantId))
      .whereIn('state', ['dead', 'unaddressed']);
  }
  const one =
    'paymentId' in selection
      ? outbox.where('payment_id', asciiId(selection.paymentId))
      : outbox.where('webhook_id', asciiId(selection.webhookId));
  return one.whereNot({ state: 'pending' });
}
