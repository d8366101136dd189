import type { PaymentKind } from '../domain/payment';

/** The rows about requests: which were made before, who works on them, and how many there may be; see tables.ts. */
export interface IdempotencyKeyRow {
  merchant_id: string;
  key_hash: Buffer;
  body_hash: Buffer;
  /** What it started: a payment, or a voucher. */
  payment_id: string | null;
  state: 'running' | 'answered';
  http_status: number | null;
  response: string | null;
  created_at: Date;
  /** Of the request that works on it: whoever takes it over puts in its own, and the one before writes nothing. */
  claim_id: string | null;
  /** The process of that request; empty when nobody works on it. */
  process_id: string | null;
}

/** A process that lives renews its row all the time: an API process, which also claims by it, or a worker. */
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

/** Which payment a merchant's order_id means, where it means one for ever. */
export interface OrderIdRow {
  merchant_id: string;
  scope: string;
  order_hash: Buffer;
  body_hash: Buffer;
  payment_id: string;
}

/** A merchant's request for many payouts, known for ever by its order_id. */
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

/** The payment that a row of it is: `n` counts from 0, as the request lists them. */
export interface BulkRowRow {
  bulk_id: string;
  n: number;
  payment_id: string;
}

/** The token of one account at a provider, as all processes use it: see rail-kit/access-token.ts. */
/** What a merchant asked of the API with its keys. */
export interface ApiRequestRow {
  entry_id: string;
  merchant_id: string;
  request_id: string;
  method: string;
  /** As declared, without the ids and tokens of the call. */
  path: string;
  status: number;
  /** Why it was refused; NULL where it was not. */
  code: string | null;
  duration_ms: number;
  created_at: Date;
}

export interface AccessTokenRow {
  /** A digest of the provider's address and the account's keys. */
  credential: string;
  rail: string;
  /** Counts the tokens that were put here. */
  version: number;
  /** Sealed with the deployment's key. */
  sealed: string | null;
  /** From when a process asks for the next one; all by the database's clock. */
  refresh_at: Date;
  expires_at: Date;
  /** Of the process that asks for the next one now, and until when nobody else does. */
  leased_by: string | null;
  leased_until: Date | null;
}

/** A payment that succeeded without a receipt; see payments/resolve/missing-receipts.ts. */
export interface MissingReceiptRow {
  payment_id: string;
  /** In the address that the provider tells it to. */
  token: string;
  tries: number;
  next_at: Date;
}

export interface RateLimitBucketRow {
  bucket: string;
  tokens: number;
  refilled_at: Date;
  /** All that ever went through. */
  spent: string;
  /** How much was spent when each second of the last minute began. */
  recent: string;
  taken_at: Date | null;
  forget_at: Date | null;
}

// The rows that tell whether providers notify us of what became of payments; see payments/recovery/watch-callbacks.ts.

/** Up to where the log of the payments was read: one row. */
export interface CallbackWatchRow {
  id: number;
  log_id: string;
  watched_at: Date;
}

/** Whose callbacks they are. */
export interface CallbackSource {
  rail: string;
  /** The rail that has the account at the provider. */
  account: string;
  kind: PaymentKind;
}

export interface CallbackHealthRow extends CallbackSource {
  verdict: 'unknown' | 'healthy' | 'late' | 'stopped';
  since: Date;
  /** Of the payments that ended last, how many in a row had no callback in time, or had one. */
  missed_in_a_row: number;
  come_in_a_row: number;
  /** Since the beginning. */
  expected: string;
  come: string;
  /** When the payment ended that a callback was expected of last, or had come of. */
  expected_at: Date | null;
  come_at: Date | null;
}

/** What was counted in ten minutes. */
export interface CallbackCountRow extends CallbackSource {
  slot_at: Date;
  expected: number;
  come: number;
  /** Of those that came, how many told us before we asked. */
  told_first: number;
  /** How many came after how long, one number for each step of payments/resolve/callbacks/counts.ts: `12,3,0,…`. */
  lags: string;
}

/** How many notifications were refused in ten minutes. */
export interface CallbackRefusalRow {
  slot_at: Date;
  rail: string;
  refused: number;
}

// What stands in the rows of what `malipo prune` does; see worker/prune.

/** A body that is taken away once it is old and nothing of its payment is open. */
export interface PrunableBody {
  /** Empty once it is pruned. */
  body: string;
  /** Since when its age counts: it is written, or what kept it is looked at again later. NULL once it is pruned. */
  body_since: Date | null;
  body_pruned_at: Date | null;
  /** Of the body that was pruned. */
  body_sha256: Buffer | null;
}

/** When `malipo prune` runs by itself, and who is at it: one row. */
export interface PruningRow {
  id: number;
  due_at: Date;
  leased_by: string | null;
  leased_until: Date | null;
  finished_at: Date | null;
}

/** What was paid under which reference of its merchant's; see payments/transition/duplicate-payments.ts. */
export interface PaidReferenceRow {
  /** SHA-256 of the merchant, the currency and the reference. */
  reference_key: Buffer;
  /** Counts the payments of a reference from 1. The first row is the one that whoever settles another one locks. */
  n: number;
  payment_id: string;
  /** The payment that had paid it before; of one that is no duplicate, or was dismissed, NULL. */
  duplicate_of: string | null;
  /** By the payment's own clock; of the first row when the reference was paid last. */
  paid_at: Date;
  /** Of the first row: how often the reference was seen paid. */
  times: number;
  /** Of the first row: it is paid again and again, and names no single purchase. */
  is_account: number;
}

declare module 'knex/types/tables' {
  interface Tables {
    api_requests: ApiRequestRow;
    callback_watch: CallbackWatchRow;
    callback_health: CallbackHealthRow;
    callback_counts: CallbackCountRow;
    callback_refusals: CallbackRefusalRow;
    paid_references: PaidReferenceRow;
  }
}
