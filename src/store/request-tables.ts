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
  knows: string;
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

declare module 'knex/types/tables' {
  interface Tables {
    api_requests: ApiRequestRow;
  }
}
