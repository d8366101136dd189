/** The rows of the ledger and of currency conversions; see tables.ts. */
import type { Currency } from '../domain/money';
import type { VoucherState } from '../domain/voucher';

export interface LedgerAccountRow {
  account_id: string;
  code: string;
  class: string;
  merchant_id: string | null;
  rail: string | null;
  country: string | null;
  currency: Currency;
  /** NULL for platform accounts that every payment uses: their balance is the sum of their postings. */
  balance: string | null;
  /** 1 for platform accounts, and for an account that a reversal has left in debt. */
  can_go_negative: number;
  created_at: Date;
}

export interface LedgerEntryRow {
  entry_id: string;
  source_type: string;
  source_id: string;
  leg: string;
  payment_id: string | null;
  reason: string | null;
  /** The id of the operator's action that created it. */
  action_id: string | null;
  at: Date;
}

export interface LedgerPostingRow {
  seq: string;
  entry_id: string;
  account_id: string;
  currency: Currency;
  amount: string;
}

export interface HoldRow {
  payment_id: string;
  account_id: string;
  reserved_account_id: string;
  currency: Currency;
  /** The reserved minor units; after a release, the last reserved amount. */
  amount: string;
  state: 'open' | 'posted' | 'released';
  created_at: Date;
  closed_at: Date | null;
  /** For a disputed deposit: the amount to reserve, which may exceed the wallet. NULL for outgoing money. */
  wanted: string | null;
  /** How much of it was returned when the dispute began, in the wallet's minor units; NULL when the dispute is over. */
  gone_before: string | null;
}

export interface FxRateRow {
  rate_id: string;
  base: Currency;
  quote: Currency;
  rate: string;
  source: string;
  observed_at: Date;
}

/** The rate of a payment's conversion: `instruct` to the provider's currency, `credit` to the wallet's. */
export interface FxQuoteRow {
  payment_id: string;
  purpose: 'instruct' | 'credit';
  base: Currency;
  quote: Currency;
  rate: string;
  source: string;
  observed_at: Date;
  from_minor: string;
  to_minor: string;
  /** Added to the converted amount, so that the wallet receives the ordered amount. NULL in old rows. */
  rounding_minor: string | null;
  created_at: Date;
}

// The rows of the fees that merchants pay; see tables.ts and fees/README.md.

export const feeOperations = ['collection', 'payout'] as const;
/** collection: deposits on any rail. */
export type FeeOperation = (typeof feeOperations)[number];

/** A schedule can be ended, but never changed. */
export interface FeeScheduleRow {
  fee_id: string;
  /** Of one merchant; NULL for every merchant without a schedule of its own. */
  merchant_id: string | null;
  /** Of one rail; NULL for every rail without a schedule of its own. */
  rail: string | null;
  operation: FeeOperation;
  /** The currency of the wallet that a collection credits, or the float that a payout debits. */
  currency: Currency;
  /** Minor units, for every payment. */
  fixed: string;
  /** Millionths of the amount: 12.5 per mille are 12500. */
  per_million: number;
  /** Minor units; NULL for none. */
  minimum: string | null;
  maximum: string | null;
  reason: string;
  from_at: Date;
  ended_at: Date | null;
  /** Merchant, rail, operation and currency while it is in force, NULL afterwards: one schedule for each. */
  open_key: string | null;
}

// The rows of vouchers; see tables.ts.

export interface VoucherRow {
  voucher_id: string;
  merchant_id: string;
  workflow_id: string;
  state: VoucherState;
  /** SHA-256 of the code, which only the mail contains. */
  code_hash: Buffer;
  code_last4: string;
  email: string;
  currency: Currency;
  amount_minor: string;
  mail_id: string;
  request_id: string | null;
  created_at: Date;
  expires_at: Date;
  finished_at: Date | null;
  /** The Idempotency-Key of its creation. */
  key_hash: Buffer | null;
  /** The request that redeemed it. */
  ended_by: string | null;
  /** The time of its next check, and the signals without an answer, as of a payment. */
  next_check_at: Date | null;
  signalled_at: Date | null;
  signals: number;
}

/** The digest of one UTC day of the ledger. Written once; the next digest includes its chain head (ledger/chain.ts). */
export interface LedgerLinkRow {
  /** 1, 2, 3 …, so that a deleted row leaves a gap. */
  n: string;
  /** `2026-01-31` */
  day: string;
  /** It covers the postings with a `seq` above this … */
  after_seq: string;
  /** … up to and with this. */
  last_seq: string;
  postings: string;
  /** The chain head of the row before; zeros in the first. */
  previous: Buffer;
  head: Buffer;
  /** By the database's clock. */
  digested_at: Date;
}

/** The range that `malipo verify` has already checked: one row, or none without a valid proof (verify/verified-state.ts). */
export interface VerifiedStateRow {
  id: number;
  run_id: string;
  /** Identifies the database and the checks: a proof of another database or other checks is not valid. */
  fingerprint: Buffer;
  /** By the database's clock: rows that were last changed before it were checked. */
  changed_since: Date;
  /** The last checked row of each table. */
  entry_id: string;
  seq: string;
  log_id: string;
  inbox_id: string;
  verified_at: Date;
  /** When the last full check ended. */
  full_at: Date;
}

/** The sum of an account's postings up to the last checked posting. */
export interface VerifySumRow {
  account_id: string;
  currency: Currency;
  postings: string;
  total: string;
  digest: string;
}

/** A payment or voucher that a run checks; deleted after the run. */
export interface VerifyChangeRow {
  run_id: string;
  id: string;
  noted_at: Date;
}

/** The result of the last verification, by any process: one row. */
export interface VerifyResultRow {
  id: number;
  /** NULL before the first verification. */
  checked_at: Date | null;
  violations: number;
  /** The run whose proof found all these violations incrementally; NULL if a full check found them. */
  found_from: string | null;
}

declare module 'knex/types/tables' {
  interface Tables {
    fee_schedules: FeeScheduleRow;
    day_digests: LedgerLinkRow;
    verified_state: VerifiedStateRow;
    verify_sums: VerifySumRow;
    verify_changes: VerifyChangeRow;
    verify_results: VerifyResultRow;
  }
}
