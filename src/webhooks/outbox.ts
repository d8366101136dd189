/** The webhooks we owe merchants, one row each, written in the transaction of the change they tell about. */
import { v7 as uuidV7, validate as isUuid } from 'uuid';
import type { PaymentState } from '../domain/payment';
import type { Database, Transaction } from '../store/database';
import type { OutboxRow, WebhookDeliveryRow } from '../store/tables';
import { inTransaction, type Alongside } from '../store/transaction';

export interface NewWebhook {
  /** Where the body names it too. */
  webhookId?: string;
  paymentId: string;
  merchantId: string;
  /** The state the payment has entered. */
  toState: PaymentState;
  /** The `X-Callback-Type` header. */
  callbackType: string;
  endpoint: OutboxRow['endpoint'];
  body: Record<string, unknown>;
  /** The field that tells when the body is sent, where one does: it is stamped at each try. */
  sentAtField?: string;
  requestId: string | null;
}

/**
 * Writes a webhook that is due at once. Its text is fixed here, and sent at every try, save for the field that tells
 * when it is sent.
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
    next_at: now,
    created_at: now,
  });
  return webhookId;
}

/** Id columns are ASCII, and the database refuses to compare them with more; what is no id matches nothing. */
function asciiId(text: string): string {
  return isUuid(text) ? text : '';
}

export interface WebhookFilter {
  webhookId?: string | undefined;
  paymentId?: string | undefined;
  merchantId?: string | undefined;
  state?: OutboxRow['state'] | undefined;
  /** Rows at most; 100 unless told. */
  limit?: number | undefined;
}

/** Webhooks, newest first; those of one state by when they were due. Each goes by an index that has them in this order. */
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
 * What to send again. One webhook, or those of one payment, whatever became of them; of a merchant only what has
 * never arrived, since a merchant's whole history is nobody's wish; or all that were given up since a moment.
 */
export type ReplaySelection =
  { webhookId: string } | { paymentId: string } | { merchantId: string } | { deadSince: Date };

/**
 * Makes settled webhooks pending again, due at once, with all their tries before them and the same webhook id. One whose
 * body is pruned has nothing left to send.
 * @returns the ids of the webhooks to deliver now, oldest first; empty when nothing matched.
 */
export function replayWebhooks(
  db: Database,
  selection: ReplaySelection,
  alongside?: Alongside,
): Promise<string[]> {
  return inTransaction(db, async (trx) => {
    const query = settled(trx, selection).whereNull('body_pruned_at').orderBy('webhook_id').forUpdate();
    const webhookIds = (await query.select('webhook_id')).map((row) => row.webhook_id);
    await trx('outbox')
      .whereIn('webhook_id', webhookIds)
      .update({ state: 'pending', tries: 0, next_at: trx.raw<Date>('UTC_TIMESTAMP(3)'), settled_at: null });
    if (webhookIds.length > 0) await alongside?.(trx);
    return webhookIds;
  });
}

/** How many of those that were to be sent again cannot be, because their bodies are pruned. */
export async function countPruned(db: Database, selection: ReplaySelection): Promise<number> {
  const [row] = await settled(db, selection)
    .whereNotNull('body_pruned_at')
    .count<{ n: string | number }[]>({ n: '*' });
  return Number(row?.n ?? 0);
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
