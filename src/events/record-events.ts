import type { EventType } from '../domain/event';
import type { Transaction } from '../store/database';
import { inChunks } from '../store/in-chunks';

export interface NewEvent {
  /** The webhook's id, if there is one, so that a merchant that gets both recognises the duplicate. */
  eventId: string;
  merchantId: string;
  paymentId: string;
  rail: string;
  type: EventType;
  /** The value of the `X-Callback-Type` header of the webhook. */
  callbackType: string;
  /** The body of the webhook for the same change, even if none is sent. */
  body: Record<string, unknown>;
  /** The sequence number of the payment's change. */
  sequence?: number;
  /**
   * Which later event may replace this one, and which ones it replaces: see payments/transition/write-webhook.ts.
   * Absent by default.
   */
  replaceable?: number;
  replaces?: number;
}

/**
 * Writes events in the transaction of their change. This transaction must have locked or written the payment's row
 * before, which puts the events of one payment in order.
 */
export async function recordEvents(trx: Transaction, events: readonly NewEvent[]): Promise<void> {
  const rows = events.map((event) => ({
    event_id: event.eventId,
    merchant_id: event.merchantId,
    payment_id: event.paymentId,
    rail: event.rail,
    type: event.type,
    callback_type: event.callbackType,
    body: JSON.stringify(event.body),
    sequence: event.sequence ?? null,
    replaceable: event.replaceable ?? 0,
    replaces: event.replaces ?? 0,
    created_at: trx.raw<Date>('UTC_TIMESTAMP(3)'),
  }));
  for (const some of inChunks(rows)) await trx('events').insert(some);
}
