import type { EventType } from '../domain/event';

/** What changed of a payment, as its merchant is told; see events/README.md. */
export interface EventRow {
  /** The order in which rows were written, and not that in which they were committed. */
  event_seq: string;
  /** Of its webhook, where there is one. */
  event_id: string;
  merchant_id: string;
  /** Counts the events of its merchant from 1; NULL until somebody reads them. */
  position: string | null;
  payment_id: string;
  rail: string;
  type: EventType;
  callback_type: string;
  /** JSON: the body of the webhook that tells, or would tell, of the same. */
  body: string;
  created_at: Date;
  /** The payment's when it was written; NULL for one that was written before there was any. */
  sequence: number | null;
  /** What may replace it, and what it replaces; see payments/transition/tell-merchant.ts. */
  replaceable: number;
  replaces: number;
}

/** How far the events of a merchant are in order: a row for each whose feed was read. */
export interface EventHeadRow {
  merchant_id: string;
  last_position: string;
  /** The last position that was pruned. */
  forgotten_position: string;
}

declare module 'knex/types/tables' {
  interface Tables {
    events: EventRow;
    event_heads: EventHeadRow;
  }
}
