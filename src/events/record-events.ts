import type { EventType } from '../domain/event';
import type { Transaction } from '../store/database';
import { inChunks } from '../store/in-chunks';

export interface NewEvent {
  /** The webhook's id, where there is one: who hears of it twice knows it by that. */
  eventId: string;
  merchantId: string;
  paymentId: string;
  rail: string;
  type: EventType;
  /** As the `X-Callback-Type` header of the webhook. */
  callbackType: string;
  /** The body of the webhook that tells, or would tell, of the same. */
  body: Record<string, unknown>;
  /** The payment's. */
  sequence?: number;
  /** What may replace it, and what it replaces: see payments/transition/write-webhook.ts. Absent unless given. */
  replaceable?: number;
  replaces?: number;
}

/**
 * Writes events in the transaction of the change that they tell of. The row of their payment must be locked, or written, by
 * this transaction before: that puts the events of one payment in order.
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
