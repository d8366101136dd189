import type { EventType } from '../domain/event';

/** The rows of webhook endpoints, a merchant's further addresses; see tables.ts and webhooks/endpoints. */
export interface WebhookEndpointRow {
  endpoint_id: string;
  merchant_id: string;
  url: string;
  /** The event types that it receives, comma-separated. */
  types: string;
  /** Encrypted for the merchant. */
  webhook_secret: string;
  /** Signs besides the new secret until the next change. */
  previous_webhook_secret: string | null;
  /** The last event of the merchant's feed that it has received or skipped: position and id. */
  position: string;
  event_id: string;
  /** Failed attempts for the next event. */
  tries: number;
  /** Events whose attempts have all failed. */
  skipped: string;
  /** When it is processed next, or until when a process has its lease. */
  next_at: Date;
  /** The HTTP status of the last attempt; NULL without an answer. */
  last_status: number | null;
  last_error: string | null;
  delivered_at: Date | null;
  created_at: Date;
  /** NULL while it is in use. */
  ended_at: Date | null;
}

/** One attempt to deliver an event to an endpoint. */
export interface EndpointTryRow {
  delivery_id: string;
  endpoint_id: string;
  event_id: string;
  /** The event's position in the merchant's feed. */
  position: string;
  payment_id: string;
  type: EventType;
  /** Counts the attempts from 1, since delivery last started. */
  n: number;
  http_status: number | null;
  duration_ms: number;
  error: string | null;
  response_excerpt: string | null;
  created_at: Date;
  /** The later event that replaced this one, which was not sent. NULL for an attempt. */
  superseded_by: string | null;
}

/** An event to resend to an endpoint. Deleted when it was delivered, or its last attempt failed. */
export interface EndpointResendRow {
  endpoint_id: string;
  event_id: string;
  position: string;
  tries: number;
  /** When it is sent next, or until when a process has its lease. */
  next_at: Date;
  /** When its merchant last requested it. */
  created_at: Date;
  /** An attempt is in progress until then at the latest; NULL afterwards. */
  claimed_until: Date | null;
}

/** A change of a payment, as its merchant sees it; see events/README.md. */
export interface EventRow {
  /** The order in which rows were written, not committed. */
  event_seq: string;
  /** The id of its webhook, if there is one. */
  event_id: string;
  merchant_id: string;
  /** Numbers the merchant's events from 1; NULL until the feed is read. */
  position: string | null;
  payment_id: string;
  rail: string;
  type: EventType;
  callback_type: string;
  /** JSON: the body of the webhook for the same change. */
  body: string;
  created_at: Date;
  /** The payment's sequence at that time; NULL for rows from before the column. */
  sequence: number | null;
  /** Which rows may replace it, and which it replaces; see payments/transition/write-webhook.ts. */
  replaceable: number;
  replaces: number;
}

/** How far a merchant's events are in order: one row for each merchant whose feed was read. */
export interface EventHeadRow {
  merchant_id: string;
  last_position: string;
  /** The last deleted position. */
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
