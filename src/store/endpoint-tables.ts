import type { EventType } from '../domain/event';

/** The rows of further addresses that merchants are told at; see tables.ts, and webhooks/endpoints. */
export interface WebhookEndpointRow {
  endpoint_id: string;
  merchant_id: string;
  url: string;
  /** The types of events that it is sent, with commas between them. */
  types: string;
  /** Sealed for the merchant. */
  webhook_secret: string;
  /** Signs beside the new one until the next change. */
  previous_webhook_secret: string | null;
  /** The last event of the merchant's feed that it was sent, or needs not be: by position and id. */
  position: string;
  event_id: string;
  /** Failed ones of the event that comes next. */
  tries: number;
  /** Events that were given up after all their tries. */
  skipped: string;
  /** When it is looked at next, or until when somebody has it for itself. */
  next_at: Date;
  /** How the last try was answered; NULL without an answer. */
  last_status: number | null;
  last_error: string | null;
  delivered_at: Date | null;
  created_at: Date;
  /** NULL while it is in use. */
  ended_at: Date | null;
}

/** One try to tell an endpoint of an event. */
export interface EndpointTryRow {
  delivery_id: string;
  endpoint_id: string;
  event_id: string;
  /** Of the event in the merchant's feed. */
  position: string;
  payment_id: string;
  type: EventType;
  /** Counts the tries from 1, since it was last begun with. */
  n: number;
  http_status: number | null;
  duration_ms: number;
  error: string | null;
  response_excerpt: string | null;
  created_at: Date;
  /** The later event that has replaced it: it was not sent. NULL for a try. */
  superseded_by: string | null;
}

/** An event that is to be sent to an endpoint once more; gone once it has arrived, or is given up. */
export interface EndpointResendRow {
  endpoint_id: string;
  event_id: string;
  position: string;
  tries: number;
  /** When it is tried next, or until when somebody has it for itself. */
  next_at: Date;
  /** When its merchant wanted it last. */
  created_at: Date;
  /** A try is under way until then at the latest; NULL once it is over. */
  claimed_until: Date | null;
}

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
  /** What may replace it, and what it replaces; see payments/transition/write-webhook.ts. */
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
    webhook_endpoints: WebhookEndpointRow;
    endpoint_tries: EndpointTryRow;
    endpoint_resends: EndpointResendRow;
    events: EventRow;
    event_heads: EventHeadRow;
  }
}
