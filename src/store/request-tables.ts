import type { PaymentKind } from '../domain/payment';

/** The rows about requests: idempotency keys, the processes that work on them, and rate limits; see tables.ts. */
export interface IdempotencyKeyRow {
  merchant_id: string;
  key_hash: Buffer;
  body_hash: Buffer;
  /** What it created: a payment, or a voucher. */
  payment_id: string | null;
  state: 'running' | 'answered';
  http_status: number | null;
  response: string | null;
  created_at: Date;
  /**
   * The id of the request that works on it. A request that takes over sets its own, and the earlier one writes nothing.
   */
  claim_id: string | null;
  /** The process of that request; NULL if no request works on it. */
  process_id: string | null;
}

/** A running process, which renews its row: an API process, which also claims keys by it, or a worker. */
export interface ProcessRow {
  process_id: string;
  seen_at: Date;
  kind: 'api' | 'worker';
  /** The newest migration that its code knows. */
  knows: string | null;
}

export interface DuplicateGuardRow {
  guard_key: Buffer;
  payment_id: string;
  until_at: Date;
}

/** The payment of a merchant's order_id, if the id is unique forever. */
export interface OrderIdRow {
  merchant_id: string;
  scope: string;
  order_hash: Buffer;
  body_hash: Buffer;
  payment_id: string;
}

/** A merchant's bulk payout request, found by its order_id forever. */
export interface BulkPayoutRow {
  bulk_id: string;
  merchant_id: string;
  rail: string;
  order_id: string;
  order_hash: Buffer;
  body_hash: Buffer;
  row_count: number;
  request_id: string | null;
  created_at: Date;
}

/** The payment of one row: `n` counts from 0, in the order of the request. */
export interface BulkRowRow {
  bulk_id: string;
  n: number;
  payment_id: string;
}

/** One token per account at a provider, shared by all processes: see rail-kit/access-token.ts. */
/** A merchant's API request with its key. */
export interface ApiRequestRow {
  entry_id: string;
  merchant_id: string;
  request_id: string;
  method: string;
  /** The path as declared, without the ids and tokens of the call. */
  path: string;
  status: number;
  /** The error code; NULL if it was successful. */
  code: string | null;
  duration_ms: number;
  created_at: Date;
}

export interface AccessTokenRow {
  /** A digest of the provider's address and the account's keys. */
  credential: string;
  rail: string;
  /** Counts the stored tokens. */
  version: number;
  /** Encrypted with the deployment's key. */
  encrypted: string | null;
  /** From when a process requests the next token; all times are by the database's clock. */
  refresh_at: Date;
  expires_at: Date;
  /** The process that requests the next token now, and the end of its lease. */
  leased_by: string | null;
  leased_until: Date | null;
}

/** A payment that succeeded without a receipt; see payments/resolve/missing-receipts.ts. */
export interface MissingReceiptRow {
  payment_id: string;
  /** The random part of the address that the provider answers to. */
  token: string;
  tries: number;
  next_at: Date;
}

export interface RateLimitBucketRow {
  bucket: string;
  tokens: number;
  refilled_at: Date;
  /** All tokens ever spent. */
  spent: string;
  /** The tokens spent at the start of each second of the last minute. */
  recent: string;
  taken_at: Date | null;
  forget_at: Date | null;
}

// The rows about the health of provider notifications; see payments/recovery/watch-notifications.ts.

/** How far the payments' log was read: one row. */
export interface CallbackWatchRow {
  id: number;
  log_id: string;
  watched_at: Date;
}

/** The source of notifications. */
export interface CallbackSource {
  rail: string;
  /** The rail that has the account at the provider. */
  account: string;
  kind: PaymentKind;
}

export interface CallbackHealthRow extends CallbackSource {
  verdict: 'unknown' | 'healthy' | 'late' | 'stopped';
  since: Date;
  /** How many of the last final payments in a row had no notification in time, or had one. */
  missed_in_a_row: number;
  received_in_a_row: number;
  /** Since the beginning. */
  expected: string;
  received: string;
  /** The end of the last payment that expected a notification, or had one. */
  expected_at: Date | null;
  received_at: Date | null;
}

/** The counts of ten minutes. */
export interface CallbackCountRow extends CallbackSource {
  slot_at: Date;
  expected: number;
  received: number;
  /** Of the received ones, how many came before our status check. */
  reported_first: number;
  /** The numbers received after each delay, one for each step of payments/resolve/notifications/counts.ts: `12,3,0,…`. */
  lags: string;
}

/** The number of notifications rejected in ten minutes. */
export interface NotificationDenialRow {
  slot_at: Date;
  rail: string;
  denied: number;
}

// The columns that `malipo prune` uses; see worker/prune.

/** A body that is deleted when it is old and its payment has nothing open. */
export interface PrunableBody {
  /** Empty once it is deleted. */
  body: string;
  /** From when its age counts: its creation, or a later time if it was still needed. NULL once it is deleted. */
  body_since: Date | null;
  body_pruned_at: Date | null;
  /** Of the deleted body. */
  body_sha256: Buffer | null;
}

/** When `malipo prune` runs by itself, and which process runs it: one row. */
export interface PruningRow {
  id: number;
  finished_at: Date | null;
}

/** Which payment paid which reference of its merchant; see payments/transition/duplicate-payments.ts. */
export interface PaidReferenceRow {
  /** SHA-256 of the merchant, the currency and the reference. */
  reference_key: Buffer;
  /** Counts the payments of a reference from 1. Settling another one locks the first row. */
  n: number;
  payment_id: string;
  /** The earlier payment of the reference; NULL for one that is no duplicate, or was dismissed. */
  duplicate_of: string | null;
  /** By the payment's own clock; in the first row, the last payment of the reference. */
  paid_at: Date;
  /** In the first row: the number of payments of the reference. */
  times: number;
  /** In the first row: the reference is paid repeatedly, so it names an account and no single purchase. */
  is_account: number;
}

declare module 'knex/types/tables' {
  interface Tables {
    api_requests: ApiRequestRow;
    notification_watch: CallbackWatchRow;
    notification_health: CallbackHealthRow;
    notification_counts: CallbackCountRow;
    notification_denials: NotificationDenialRow;
    paid_references: PaidReferenceRow;
  }
}
