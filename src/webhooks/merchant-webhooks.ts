/** A merchant's view of its own webhooks, and its requests about them. */
import { validate as isUuid } from 'uuid';
import { PaymentError } from '../domain/errors';
import type { Database } from '../store/database';
import { beforeCursor, type ListCursor } from '../store/list-cursor';
import type { OutboxRow, WebhookDeliveryRow } from '../store/tables';
import type { Alongside } from '../store/transaction';
import { replayWebhooks } from './outbox';

export interface WantedWebhooks {
  paymentId?: string | undefined;
  state?: OutboxRow['state'] | undefined;
}

/** Webhooks that one page reads where a filter is set. */
const scannedMax = 1_000;
/** The most tries of one webhook in an answer: enough for several resends. */
export const triesMax = 100;

const shownColumns = [
  ...['webhook_id', 'payment_id', 'to_state', 'callback_type', 'endpoint', 'state', 'tries'],
  ...['next_at', 'created_at', 'settled_at', 'body_pruned_at', 'sequence', 'superseded_by'],
] as const;
export type ShownWebhook = Pick<
  OutboxRow,
  | ('webhook_id' | 'payment_id' | 'to_state' | 'callback_type' | 'endpoint' | 'state' | 'tries')
  | ('next_at' | 'created_at' | 'settled_at' | 'body_pruned_at' | 'sequence' | 'superseded_by')
>;

export interface PageOfWebhooks {
  webhooks: ShownWebhook[];
  next: ListCursor | undefined;
  /** The time that the search reached, where it stopped before the page was full and older rows remain. */
  scannedTo: Date | undefined;
}

/** Newest first. */
export async function listOwnWebhooks(
  db: Database,
  merchantId: string,
  { paymentId, state }: WantedWebhooks,
  { before, limit }: { before: ListCursor | undefined; limit: number },
): Promise<PageOfWebhooks> {
  const size = state === undefined ? limit + 1 : scannedMax;
  const query = db('outbox')
    .where({ merchant_id: merchantId })
    .orderBy('created_at', 'desc')
    .orderBy('webhook_id', 'desc')
    .limit(size);
  if (paymentId !== undefined) void query.where({ payment_id: isUuid(paymentId) ? paymentId : '' });
  if (before) beforeCursor(query, 'webhook_id', before);
  const found: ShownWebhook[] = await query.select(...shownColumns);
  const chosen = found.filter((webhook) => state === undefined || webhook.state === state).slice(0, limit);
  const isFull = chosen.length === limit;
  const last = (isFull ? chosen : found).at(-1);
  const isMore = found.length === size || (isFull && last !== found.at(-1));
  const next = isMore && last ? { at: last.created_at, id: last.webhook_id } : undefined;
  return { webhooks: chosen, next, scannedTo: isFull ? undefined : next?.at };
}

/** @throws PaymentError WEBHOOK_NOT_FOUND, also for another merchant's. */
export async function getOwnWebhookOrThrow(
  db: Database,
  merchantId: string,
  webhookId: string,
): Promise<ShownWebhook> {
  const found: ShownWebhook[] = isUuid(webhookId)
    ? await db('outbox')
        .where({ webhook_id: webhookId, merchant_id: merchantId })
        .select(...shownColumns)
    : [];
  const [webhook] = found;
  if (!webhook) throw new PaymentError('WEBHOOK_NOT_FOUND');
  return webhook;
}

/** @returns those of these ids that are webhooks. */
export async function idsOfWebhooks(db: Database, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  return new Set(await db('outbox').whereIn('webhook_id', ids).pluck('webhook_id'));
}

/** The tries of one webhook, newest first. */
export function deliveriesOf(db: Database, webhookId: string): Promise<WebhookDeliveryRow[]> {
  return db('webhook_deliveries')
    .where({ webhook_id: webhookId })
    .orderBy('delivery_id', 'desc')
    .limit(triesMax);
}

/**
 * Makes a webhook due again, with all tries from the start and the same id. A pending one stays as it is.
 * @throws PaymentError WEBHOOK_NOT_FOUND, WEBHOOK_SUPERSEDED where a later status has replaced its own, or
 *   WEBHOOK_NOT_KEPT where its body is pruned.
 */
export async function resendWebhook(
  db: Database,
  merchantId: string,
  webhookId: string,
  alongside?: Alongside,
): Promise<ShownWebhook> {
  const {
    state,
    body_pruned_at: prunedAt,
    superseded_by: by,
  } = await getOwnWebhookOrThrow(db, merchantId, webhookId);
  if (state !== 'pending') {
    if (by !== null) throw new PaymentError('WEBHOOK_SUPERSEDED');
    if (prunedAt !== null) throw new PaymentError('WEBHOOK_NOT_KEPT');
    await replayWebhooks(db, { webhookId }, alongside);
  }
  return getOwnWebhookOrThrow(db, merchantId, webhookId);
}
